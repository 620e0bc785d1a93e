"""Readers of Iceberg tables, the second witness: one adapter an engine, all behind the interface in `readers.base`."""
