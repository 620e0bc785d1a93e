"""Small tables for XTable to translate, taken from the recordings, so that no Spark is needed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stack.jars import is_resolvable
from stack.versions import release, releases
from xtable.replay import RECORDINGS, SOURCES
from xtable.sync import Translator


@pytest.fixture
def hudi_table(tmp_path: Path) -> Path:
    """A Hudi table of four months, one file each, on local disk."""
    return Path(shutil.copytree(RECORDINGS / SOURCES / "good_layout", tmp_path / "good_layout"))


@pytest.fixture
def delta_table(tmp_path: Path) -> Path:
    """A Delta table of two files, its log written by hand after the protocol's own example."""
    table = tmp_path / "delta"
    (table / "_delta_log").mkdir(parents=True)
    fields = [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]
    actions: list[dict[str, object]] = [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {
            "metaData": {
                "id": "0f3c1d3e-6e0a-4c1c-9d57-3b1a3b6f9a10",
                "format": {"provider": "parquet", "options": {}},
                "schemaString": json.dumps({"type": "struct", "fields": fields}),
                "partitionColumns": [],
                "configuration": {},
                "createdTime": 1704067200000,
            }
        },
    ]
    for name, rows in (("a.parquet", [1, 2, 3]), ("b.parquet", [4, 5])):
        pq.write_table(pa.table({"id": pa.array(rows, pa.int64())}), table / name)
        stats = {
            "numRecords": len(rows),
            "minValues": {"id": rows[0]},
            "maxValues": {"id": rows[-1]},
            "nullCount": {"id": 0},
        }
        size = (table / name).stat().st_size
        add = {"path": name, "partitionValues": {}, "size": size, "modificationTime": 1704067200000}
        actions.append({"add": add | {"dataChange": True, "stats": json.dumps(stats)}})
    actions.append({"commitInfo": {"timestamp": 1704067200000, "operation": "WRITE", "operationParameters": {}}})
    log = table / "_delta_log" / f"{0:020d}.json"
    log.write_text("".join(json.dumps(action) + "\n" for action in actions))
    return table


@pytest.fixture(scope="module", params=[one.version for one in releases()])
def translator(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Translator]:
    """Each known release, started; skipped by name where it does not resolve."""
    asked = release(request.param)
    if not is_resolvable(asked):
        pytest.skip(f"XTable {asked} is neither in the local Maven repository nor served")
    with Translator.start(asked, None, tmp_path_factory.mktemp("logs")) as started:
        yield started
