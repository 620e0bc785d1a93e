"""Who wrote a table's metadata, by what it left there."""

from __future__ import annotations

from dataclasses import dataclass

from xtable_audit.model.finding import Blame

XTABLE = "XTable"


@dataclass(frozen=True)
class MetadataWriter:
    """`name` is that of a translator or an engine; "" if nothing tells."""

    name: str = ""
    version: str = ""
    """As far as it is known: `0.2.0 or 0.3.0`, `0.4.0 or later`."""
    releases: tuple[str, ...] = ()
    """Releases of XTable that may have written it; empty if any may have, or XTable has not."""
    source: str = ""
    """The format that XTable translated: `hudi`, `delta`; "" if it is not known."""
    because: str = ""
    """What names it, or that nothing does, in a clause."""
    by: str = ""
    """The library that it wrote with, where it has several; "" if it has one."""

    @property
    def is_xtable(self) -> bool:
        return self.name == XTABLE

    @property
    def words(self) -> str:
        return f"{self.name} {self.version}".strip() + (f" ({self.by})" if self.by else "")

    @property
    def versions(self) -> dict[str, str]:
        """Name to version, as far as it is known."""
        return {self.name.lower(): self.version} if self.name and self.version else {}

    @property
    def ruling(self) -> tuple[Blame, str]:
        """Whose fault a finding is, and why."""
        if self.is_xtable:
            return Blame.XTABLE, self.because
        if not self.name:
            return Blame.writer("unknown"), self.because or "nothing in the metadata says what wrote it"
        return Blame.writer(self.name), self.because
