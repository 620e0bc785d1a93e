"""What engines make of the bounds that are in the metadata."""

import pytest

from fixtures.expect_decoded import ExpectDecoded
from subjects.tables import PLAIN, PUBLISHED, Table, over


@pytest.mark.parametrize("reader", ["firebolt"])
@over(*PUBLISHED, *PLAIN)
def test_bounds_are_decoded_as_they_are_written(decoded: ExpectDecoded, reader: str, table: Table) -> None:
    """The engine decodes each file's bounds to the values that the manifests hold."""
    decoded(reader, table).bounds_are_the_judges()
