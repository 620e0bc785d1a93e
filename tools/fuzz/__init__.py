"""Spoils the files of a healthy table at random, and demands an honest end of every check: `python -m tools fuzz`."""
