"""Iceberg on Spark, as it comes, answers `count(*)` from the metadata: a false `record_count` is a false answer.

The suite's own reader switches that off (`aggregate-push-down`), for it is to read files.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lab.store import moto, objects
from tests.audit import healthy, mutate
from tests.audit.draft import Draft
from tests.audit.mirror import Mirror

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
COUNTS_TWICE = """
import sys
from pathlib import Path
from lab.engines.spark.session import open_session
from lab.store.running import RunningStore
from tests.readers.spark_home import spark_home
spark = open_session("spark", RunningStore.from_json(sys.argv[1]).store, spark_home(), {})
spark.read.format("iceberg").load(sys.argv[2]).createOrReplaceTempView("t")
print(spark.sql("SELECT count(*) FROM t").collect()[0][0], spark.sql("SELECT VendorID FROM t").rdd.count())
"""


def test_spark_counts_the_rows_that_the_metadata_claims(tmp_path: Path) -> None:
    table = healthy.recorded(Mirror(tmp_path / "mirror"), "good_layout", "0.4.0")
    draft = Draft.of(table, tmp_path / "draft")
    mutate.set_field("record_count", lambda rows: rows + 1)(draft, 1)
    with moto.start() as running:
        objects.upload(running.store, running.store.key(table.root), draft.mirror.file(table.root))
        command = [sys.executable, "-c", COUNTS_TWICE, running.to_json(), table.metadata_location]
        printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=True).stdout
    counted, read = map(int, printed.split())
    assert counted == read + 1
