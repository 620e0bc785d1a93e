"""Exit statuses of `xtable-audit`, those of the suite."""

from xtable_audit.model.outcome import EXIT_FAILS, EXIT_INCONCLUSIVE

OK = 0
FINDINGS = EXIT_FAILS
CUT_SHORT = 2
"""Interrupted, as pytest has it."""
CRASHED = 3
"""The judge itself failed, as pytest has it."""
BAD_INPUT = 4
UNREACHABLE = EXIT_INCONCLUSIVE

HELP = """
\b
Exit status
  0  nothing found, or nothing but advice and what is accepted or ignored
  1  findings of --fail-on's verdict or a worse one, known or not
  2  interrupted
  3  xtable-audit itself failed; the sentence names the file with the trace
  4  malformed input: no such table, snapshot, column, …
  6  inconclusive: a store or a catalog does not answer, or refuses; the source's state cannot be determined
"""
