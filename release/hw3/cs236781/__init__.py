"""Supplied with the course: plots, downloads and the records of a training. Not to be changed."""
