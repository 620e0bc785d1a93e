"""Builds what is judged: has Spark write tables and XTable translate them, starts stores and engines, records."""
