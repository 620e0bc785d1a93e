"""Servers and runtimes that some readers stand on: obtained, started once a run, told how to reach, stopped."""
