"""Read-only access to tables in any bucket and on the local disk. Nothing here writes."""
