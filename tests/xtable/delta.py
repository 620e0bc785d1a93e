"""A Delta table without a writer of Delta's."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def write_delta(folder: Path) -> Path:
    """A Delta table of two files, its log written by hand after the protocol's own example."""
    table = folder / "delta"
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
