"""Measurements, as ratios within one run: `make bench`, or one: `python -m tools benchmarks judge --scale 1`."""
