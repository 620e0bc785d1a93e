"""The layout is judged by values alone: the same correct metadata, over badly cut files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.audit.faults_of_layout import FAULTS, HEALTHY, Layout
from tests.audit.healthy import Table, control
from tests.audit.mirror import Mirror
from tests.audit.typed import PARTITION
from xtable_audit.claims import CLAIMS

SCHEMA = pa.schema([("int", pa.int64()), (PARTITION, pa.string())])


def laid_out(layout: Layout, folder: Path) -> Table:
    """Written unpartitioned, as no identity tuple describes a file of two values; the source has an identity."""
    mirror, uris = Mirror(folder), []
    for number, rows in enumerate(layout.files):
        uri = mirror.uri(f"laid_out/data/{number}.parquet")
        mirror.file(uri).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table(rows, schema=SCHEMA), mirror.file(uri))
        uris.append(uri)
    table = control(mirror, "laid_out", uris, (), ("int", PARTITION))
    return replace(table, partition_by=(PARTITION,))


@pytest.mark.parametrize("layout", [HEALTHY, *FAULTS], ids=str)
def test_layout_breaks_its_claims_in_the_files_at_fault(tmp_path: Path, layout: Layout) -> None:
    case = laid_out(layout, tmp_path).case
    found = {id: claim.deviations(case) for id, claim in CLAIMS.items() if claim.family != "partition"}
    touched = {id: {place for d in deviations for place in d.places} for id, deviations in found.items() if deviations}
    assert touched == layout.touches
