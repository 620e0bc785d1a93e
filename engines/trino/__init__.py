"""Trino: a process from Maven Central, a container, or one that is already there."""
