"""What decides which known findings a Paimon table meets: nothing yet."""

from __future__ import annotations

from typing import NoReturn

from xtable_audit.formats.configuration import Configuration
from xtable_audit.formats.folder import TableFolder
from xtable_audit.model.problem import Problem


def no_facts(folder: TableFolder, config: Configuration | None, footers: int) -> NoReturn:
    """Raises Problem: an answer without findings would acquit a table that no finding is registered of."""
    del config, footers
    raise Problem(
        f"{folder.root}: no finding of XTable's Paimon source is registered; let it translate the table, and compare "
        "with `check --source`"
    )
