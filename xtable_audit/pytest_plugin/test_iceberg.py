"""Every claim about a table's metadata, on the tables of `--table` that are Iceberg's."""

from xtable_audit.claims import CLAIMS
from xtable_audit.formats.installed import DEFAULT
from xtable_audit.pytest_plugin import hold

FORMATS = (DEFAULT,)
for claim in CLAIMS.values():
    globals()[f"test_{claim.id}"] = hold(claim)
