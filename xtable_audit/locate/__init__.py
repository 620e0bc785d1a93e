"""Finds the metadata.json of a table by what a user calls the table. Nothing here writes."""
