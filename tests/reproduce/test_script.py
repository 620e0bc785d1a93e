"""The histories that `write.py` writes down."""

from __future__ import annotations

import pyarrow as pa
import pytest

from spark_jobs.battery.table import BatteryTable, Step, file, service, sql, write
from tools.reproduce.folder import questions
from tools.reproduce.script import skipped, synced

NUMBER = {"n": pa.int32()}
FIRST = write("bulk_insert", NUMBER, file(n=[1]), words="a row")


def script(*steps: Step, **more: object) -> str:
    return synced(BatteryTable("t", "A table.", steps, **more), "XTF-000: a fault")  # type: ignore[arg-type]


def test_a_write_is_its_rows_and_a_sync() -> None:
    assert script(FIRST).endswith(
        """\
# 1. a row
table.write(
    'bulk_insert',
    '`record_key` STRING, `n` INT',
    [
        [  # a data file
            "('k0000', 1)",
        ],
    ],
)
table.sync()
table.close()
"""
    )


def test_a_table_says_only_what_is_its_own() -> None:
    text = script(FIRST, options={"a": "b"}, partition_by=("n",), partition_spec="n:VALUE")
    head = "table = Table(\n    't',\n    partition_by=['n'],\n    spec='n:VALUE',\n    options={\n        'a': 'b',\n"
    assert head in text


@pytest.mark.parametrize(
    ("steps", "lines"),
    [
        (
            (FIRST, service("savepoint", of=1)),
            ["commit_1 = table.write(", "table.service('savepoint', commit_1)"],
        ),
        (
            (FIRST, write("insert", NUMBER, file(n=[2]), in_flight=(1,))),
            ["commit_1 = table.write(", "table.sync(in_flight=[commit_1])"],
        ),
        ((FIRST, Step("it completes", None)), ["# 2. it completes\ntable.sync()"]),
        ((sql("DELETE FROM {table}", "none is left"),), ["table.statement('DELETE FROM {table}')"]),
    ],
    ids=["a service about a commit", "a commit in flight", "nothing but a sync", "a statement"],
)
def test_a_later_step_names_the_commit_it_is_about(steps: tuple[Step, ...], lines: list[str]) -> None:
    text = script(*steps)
    assert [line for line in lines if line not in text] == []


def test_commits_get_the_time_of_the_last_one_that_was_synced() -> None:
    text = script(FIRST, sql("DELETE FROM {table}", "none is left"), FIRST, format="DELTA", in_synced_second=2)
    assert text.count("table.share_second()\n") == 1
    assert "table.statement('DELETE FROM {table}')\ntable.share_second()\ntable.sync()\n" in text


def test_a_table_of_hudis_own_is_kept_after_each_event_and_asked() -> None:
    text = skipped(BatteryTable("t", "A table.", (FIRST,), hudi="1.2.0"), "XTF-000: a fault", ["n = 1"])
    assert text.endswith("index.keep('a row')\nindex.ask(\n    'n = 1',\n)\ntable.close()\n")
    assert "sync" not in text


def test_a_prefix_is_asked_for_by_like() -> None:
    assert "(`state` = 'NY') AND (`zip_code` LIKE '100%')" in questions("skip_prefix")
