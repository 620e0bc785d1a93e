"""`python -m xtable_audit` is the command `xtable-audit`, where the package is not installed: in this checkout."""

from xtable_audit.cli.main import main

main()
