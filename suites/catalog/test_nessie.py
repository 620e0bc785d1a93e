"""Whether Trino can register a translated table in a Nessie catalog."""

import pytest

from fixtures.claims import hold
from fixtures.over import over
from xtable_audit.claims import readable

test_table_can_be_registered_in_nessie = hold(
    readable.table_can_be_registered_in_nessie,
    pytest.mark.parametrize("reader", ["trino"]),
    over("good_layout-xtable", "good_layout-control"),
)
