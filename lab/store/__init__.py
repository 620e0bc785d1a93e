"""The object store: its settings, the servers that can provide it, and the log of its requests."""
