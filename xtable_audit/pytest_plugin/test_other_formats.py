"""Every claim about a table's metadata, on the tables of `--table` that are Delta's or of another format."""

from xtable_audit.formats.installed import other_formats
from xtable_audit.pytest_plugin import hold

FORMATS = tuple(one.name for one in other_formats())
for claim in {id: claim for one in other_formats() for id, claim in one.check.claims.items()}.values():
    globals()[f"test_{claim.id}"] = hold(claim)
