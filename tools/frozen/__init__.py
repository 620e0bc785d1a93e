"""The outcomes of whole runs, frozen as digests: what a change of the suite must not change without saying so."""
