"""What everything stands on: versions, a JDK, jars and the cache. Knows nothing of tables or of pytest."""
