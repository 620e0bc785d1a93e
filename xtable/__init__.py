"""Runs a real XTable release on a table, reports how its sync went, and replays recorded metadata."""
