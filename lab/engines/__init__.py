"""Servers and runtimes that some readers need: each is obtained, started once a run, and stopped at its end."""
