"""Whether a translated table can be made known to a catalog at all."""

import pytest

from fixtures.expect_catalog import ExpectCatalog
from subjects.tables import Table, over


@pytest.mark.parametrize("reader", ["trino"])
@over("good_layout-xtable", "good_layout-control")
def test_table_can_be_registered_in_nessie(catalogued: ExpectCatalog, reader: str, table: Table) -> None:
    """Trino registers a translated table in a Nessie catalog."""
    catalogued(table).in_nessie()
