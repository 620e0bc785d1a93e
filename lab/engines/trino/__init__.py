"""Trino: a process from Maven Central, a container, or a running one by its URL."""
