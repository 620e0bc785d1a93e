"""Claims about Iceberg metadata alone: stored metrics against actual values, of any writer."""
