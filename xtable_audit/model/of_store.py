"""Tells an error of a store from one of a file: the first says nothing of the table."""

from __future__ import annotations

import re

from xtable_audit.model.malformed import LONGEST_ADDRESS, first_line
from xtable_audit.model.printable import printable, shortened
from xtable_audit.model.problem import Unreachable

WORDS = re.compile(r"AWS Error|google::cloud|GetBlobProperties|BlobClient|curl|timed? ?out", re.I)
"""In errors of `pyarrow.fs` when a store refuses, or does not answer. A file that is not there is FileNotFoundError."""


def is_of_store(uri: str, error: BaseException) -> bool:
    """Whether `error`, of a request for `uri`, is the store's. What the address itself says does not count."""
    path = uri.partition("://")[2] or uri
    return isinstance(error, OSError) and (
        isinstance(error, (PermissionError, TimeoutError)) or bool(WORDS.search(str(error).replace(path, "")))
    )


def check_reachable(uri: str, error: BaseException) -> None:
    """Raises Unreachable if the store failed, and not the object: nothing is known of the table then."""
    if is_of_store(uri, error):
        address = shortened(printable(uri), LONGEST_ADDRESS)
        raise Unreachable(f"The store does not answer for {address}: {first_line(error)}") from error
