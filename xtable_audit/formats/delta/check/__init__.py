"""What `check` needs of a Delta table beside its stored metrics."""
