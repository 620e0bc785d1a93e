"""The hunt: draws table histories at random, checks every claim on each, and shrinks the first that fails."""
