"""What of a table is judged, and how much of it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from xtable_audit.check.budget import Budget
from xtable_audit.check.source import AskedSource
from xtable_audit.formats.chosen import Chosen
from xtable_audit.locate.reach import Reach
from xtable_audit.model.finding import Verdict
from xtable_audit.model.own_table import FAIL_ON
from xtable_audit.register.ignore_file import IgnoreEntry
from xtable_audit.scan.scanner import Scanner
from xtable_audit.table.stored_metrics import StoredMetrics


@dataclass(frozen=True)
class Options:
    location: str
    """As the user names the table."""
    command: str = "xtable-audit check"
    """As the user typed it."""
    chosen: Chosen = field(default_factory=Chosen)
    claims: tuple[str, ...] = ()
    """Ids of claims; empty for all."""
    metadata_only: bool = False
    columns: tuple[str, ...] = ()
    """Columns whose values are compared; empty for all."""
    sample: int | None = None
    """Number of files to draw; None for all."""
    seed: int = 0
    max_bytes: int | None = None
    since: int | None = None
    """An older snapshot, whose files are not read; None for none."""
    where: tuple[str, ...] = ()
    """Predicates in SQL."""
    budget: Budget = field(default_factory=Budget)
    """The time and the memory that the check may take."""
    fail_on: Verdict = FAIL_ON
    """Findings of this verdict or a worse one fail the check; others are advice."""
    accepted: tuple[str, ...] = ()
    """Ids of known findings that do not count."""
    ignored: tuple[IgnoreEntry, ...] = ()
    """The entries of the user's ignore file, of whatever table."""
    source: AskedSource | None = None
    """The source that the table was made from; None if the user does not name it."""
    kept: Path | None = None
    """The folder where actual metrics are kept; None to keep none."""
    threads: int | None = None
    """Files that this machine reads at once; None for what suits the store and the files."""
    cluster: Callable[[Reach, StoredMetrics], Scanner] | None = None
    """Makes the scanner that reads values; None to read them on this machine."""
