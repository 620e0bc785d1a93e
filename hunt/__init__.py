"""The hunt for faults that nobody has thought of: histories drawn at random, held to every claim, the shortest told."""
