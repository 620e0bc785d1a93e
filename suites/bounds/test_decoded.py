"""The stored bounds as engines decode them."""

import pytest

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import PLAIN, PUBLISHED
from xtable_audit.claims.readers import decoded_bounds

test_bounds_are_decoded_as_they_are_written = hold(
    decoded_bounds.bounds_are_decoded_as_they_are_written,
    pytest.mark.parametrize("reader", ["firebolt"]),
    over(PUBLISHED, PLAIN),
)
