"""The stored bounds as engines decode them."""

import pytest

from fixtures.claims import hold
from subjects.tables import PLAIN, PUBLISHED, over
from xtable_audit.claims import decoded_bounds

test_bounds_are_decoded_as_they_are_written = hold(
    decoded_bounds.bounds_are_decoded_as_they_are_written,
    pytest.mark.parametrize("reader", ["firebolt"]),
    over(*PUBLISHED, *PLAIN),
)
