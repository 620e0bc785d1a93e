"""XTable's two sources of a file's statistics, Hudi's column statistics and the footer, on the same rows."""

import pytest

from fixtures.claims import hold
from subjects.tables import BOTH_WAYS
from xtable_audit.claims import paired_tables

test_both_ways_say_the_same = hold(
    paired_tables.both_ways_say_the_same, pytest.mark.parametrize(("table", "other"), BOTH_WAYS, indirect=["table"])
)
