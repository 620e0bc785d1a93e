"""Findings without this suite: for each a folder with a Spark script, a sync and a check, run by one command."""
