"""What `check` needs of an Iceberg table beside its stored metrics."""
