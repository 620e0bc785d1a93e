"""Hudi and Delta tables by their own logs, read without Spark and Java."""
