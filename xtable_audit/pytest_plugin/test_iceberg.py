"""Every claim about a table's metadata, on the tables of `--table`."""

from xtable_audit.claims import CLAIMS
from xtable_audit.pytest_plugin import hold

for claim in CLAIMS.values():
    globals()[f"test_{claim.id}"] = hold(claim)
