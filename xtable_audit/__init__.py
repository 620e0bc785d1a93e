"""The judge: Arrow tables in, findings out. What its users need beside it is in packages of its own."""

__version__ = "2026.11"
