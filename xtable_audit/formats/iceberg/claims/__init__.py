"""Claims that only Iceberg's metadata can break."""
