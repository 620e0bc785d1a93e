"""The command `xtable-audit`."""
