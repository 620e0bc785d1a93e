"""Readers of Iceberg tables: one adapter per engine, all behind the interface in `readers.base`."""
