"""Figures of the kit, measured: ``python -m benchmarks``."""
