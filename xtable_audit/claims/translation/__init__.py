"""Claims about a translation: the Iceberg table against its source, now and after each sync."""
