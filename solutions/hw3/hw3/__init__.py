"""Homework 3: what you write. The notebooks say what each function has to do."""
