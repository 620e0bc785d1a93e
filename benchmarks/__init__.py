"""Measurements, as ratios within one run: `make bench`, or one of them: `python -m benchmarks judge --scale 1`."""
