"""Metadata or data files that cannot be read: the one exception, and how it differs from an error of the store."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from xtable_audit.model.deviation_kind import DeviationKind
from xtable_audit.model.printable import printable, shortened
from xtable_audit.model.problem import Unreachable

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


WORDS = re.compile(r"AWS Error|google::cloud|GetBlobProperties|BlobClient|curl|timed? ?out", re.I)
"""In errors of `pyarrow.fs` when a store refuses, or does not answer. A file that is not there is FileNotFoundError."""


def is_of_store(uri: str, error: BaseException) -> bool:
    """Whether `error`, of a request for `uri`, is the store's. What the address itself says does not count."""
    path = uri.partition("://")[2] or uri
    return isinstance(error, OSError) and (
        isinstance(error, (PermissionError, TimeoutError)) or bool(WORDS.search(str(error).replace(path, "")))
    )


def given_up(address: str, error: TimeoutError) -> NoReturn:
    """Raises Unreachable of a store that has not answered in time."""
    check_reachable(address, error)
    raise error


def check_reachable(uri: str, error: BaseException) -> None:
    """Raises Unreachable if the store failed, and not the object: nothing is known of the table then."""
    if is_of_store(uri, error):
        address = shortened(printable(uri), LONGEST_ADDRESS)
        raise Unreachable(f"The store does not answer for {address}: {first_line(error)}") from error
