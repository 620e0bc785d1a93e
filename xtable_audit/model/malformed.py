"""The one exception for metadata or data files that cannot be read."""

from __future__ import annotations

from dataclasses import dataclass

from xtable_audit.model.deviation_kind import DeviationKind
from xtable_audit.model.printable import printable, shortened

LONGEST_ADDRESS = 300
LONGEST_REASON = 400
METADATA = (".json", ".avro")
"""How the names of metadata files end."""


@dataclass(frozen=True)
class ColumnMisfit:
    """How a column of a data file does not fit the table's."""

    kind: DeviationKind
    column: str
    """Its path in the file."""


class Malformed(Exception):
    """A file of the table cannot be read. The text names the file and the reason, in one sentence.

    Both come from strangers: the text holds neither control characters nor credentials, and is short.
    """

    def __init__(
        self, location: str, reason: str, *, effect: str = "", silent: bool = False, misfit: ColumnMisfit | None = None
    ) -> None:
        super().__init__(location, reason)
        self.location = printable(location)
        self.reason = shortened(printable(reason), LONGEST_REASON)
        self._effect = effect
        self.silent = silent
        """Whether some reader returns wrong rows and no error."""
        self.misfit = misfit
        """The column because of which it cannot be read; None if it is not known, or not because of one."""

    @property
    def effect(self) -> str:
        """What a reader loses, in one sentence."""
        if self._effect:
            return self._effect
        if self.location.endswith(METADATA):
            return "a reader that opens it fails, and returns no row of the table"
        return "a query that reads the file fails, or takes its columns for others"

    def __str__(self) -> str:
        return f"{shortened(self.location, LONGEST_ADDRESS)} {self.reason}"


class Unread(Malformed):
    """A file was not read, for a reason that says nothing against it: the store, a limit, what the user allowed."""


class Outside(Unread):
    """Metadata names a file outside what the user allowed. The file was not opened."""


class TooLarge(Unread):
    """A file takes more memory than the judge's limits allow. It may be legal."""


def first_line(error: BaseException) -> str:
    """The first line of an error's text, or its type where it has none."""
    text = str(error).strip()
    return shortened(text.splitlines()[0].strip(), LONGEST_REASON) if text else type(error).__name__
