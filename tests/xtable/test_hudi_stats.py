"""What Hudi answers of a table's files, in the JVM of each release."""

from __future__ import annotations

from pathlib import Path

import py4j.java_gateway
import py4j.protocol
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JJavaError

from xtable.hudi_stats import read
from xtable.sync import Translator

pytestmark = [pytest.mark.jvm, pytest.mark.slow]
COLUMN = "VendorID"


def test_hudi_answers_of_each_file_what_its_footer_holds(translator: Translator, hudi_table: Path) -> None:
    """And of one that is not there, what it throws."""
    files = [path.relative_to(hudi_table).as_posix() for path in hudi_table.glob("*/*.parquet")]
    answers = read(translator.jvm, None, str(hudi_table), {name: [COLUMN] for name in [*files, "gone.parquet"]})
    assert set(answers["files"]) == set(files)
    assert set(answers["failures"]) == {"gone.parquet"}
    for name in files:
        values = pq.read_table(hudi_table / name)[COLUMN]
        low, high = (str(pc.min_max(values)[side]) for side in ("min", "max"))
        one = {"min": low, "max": high, "nulls": values.null_count, "values": len(values)}
        assert answers["files"][name] == {"rows": len(values), "columns": {COLUMN: one}}


def test_a_folder_that_is_no_hudi_table_is_refused(
    translator: Translator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where a test before this one ran Spark, PySpark reads the errors of every JVM its own way.
    monkeypatch.setattr(py4j.java_gateway, "get_return_value", py4j.protocol.get_return_value)
    with pytest.raises(Py4JJavaError):
        read(translator.jvm, None, str(tmp_path), {})
