"""Round trips: XTable translates a table to Iceberg, and what it wrote there to Delta."""
