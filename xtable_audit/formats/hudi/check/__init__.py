"""What `check` asks of Hudi alone."""
