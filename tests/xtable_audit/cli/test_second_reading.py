"""No table is accused of what the store, the way to it, or a compaction beside the check did."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tests.tables.lake import Lake, data_files, exchange, orders, with_column
from tests.xtable_audit.cli.conftest import Command, outcomes
from xtable_audit.formats.iceberg import avro
from xtable_audit.model.outcome import Outcome
from xtable_audit.scan import LocalScanner

Measure = Callable[..., pa.Table]


def once(monkeypatch: pytest.MonkeyPatch, spoil: Callable[[pa.Table], pa.Table]) -> None:
    """What is measured first is spoilt, as by a byte that another one arrived for."""
    measure: Measure = LocalScanner.measure
    asked: list[object] = []

    def spoilt(*of: Any) -> pa.Table:
        asked.append(of)
        rows = measure(*of)
        return spoil(rows) if len(asked) == 1 else rows

    monkeypatch.setattr(LocalScanner, "measure", spoilt)


def broken(rows: pa.Table) -> pa.Table:
    """As if the first file were no Parquet."""
    place = rows.column_names.index("malformed")
    reasons = ["is broken", *[None] * (rows.num_rows - 1)]
    return rows.set_column(place, "malformed", pa.array(reasons, pa.string()).cast(rows.schema.field(place).type))


def fewer_rows(rows: pa.Table) -> pa.Table:
    place = rows.column_names.index("record_count")
    counted = [one - 1 for one in rows["record_count"].to_pylist()]
    return rows.set_column(place, "record_count", pa.array(counted, rows.schema.field(place).type))


@pytest.mark.parametrize("spoil", [broken, fewer_rows], ids=["a broken file", "another count of rows"])
def test_what_is_right_when_it_is_read_again_is_inconclusive(
    lake: Lake, command: Command, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[pa.Table], pa.Table]
) -> None:
    lake.table("orders", orders(0), orders(1))
    once(monkeypatch, spoil)
    ran = command("check", lake.root("orders"), "--no-cache")
    assert (ran.status, "was another each time" in " ".join(ran.out.split())) == (6, True), ran.out
    assert "FINDING" not in ran.out


def test_what_is_wrong_when_it_is_read_again_is_a_finding(lake: Lake, command: Command) -> None:
    [file] = data_files(lake.table("orders", orders()))
    exchange(file, with_column("id", lambda ids: pc.add(ids, 1000)))
    assert command("check", lake.root("orders"), "--no-cache").status == 1


def move_on(root: Path, *, keeps: bool, later: bool = True) -> None:
    """Another metadata.json, as a writer leaves it: with the snapshot, or without it once it is expired."""
    newest = max((root / "metadata").glob("*.metadata.json"))
    content = json.loads(newest.read_text())
    if not keeps:
        other = content["snapshots"][-1] | {"snapshot-id": 77, "sequence-number": 9}
        content |= {"snapshots": [other], "current-snapshot-id": 77, "refs": {}, "snapshot-log": []}
    content["last-updated-ms"] += 1 if later else -1
    (root / "metadata" / "00009-later.metadata.json").write_text(json.dumps(content))


@pytest.mark.parametrize(("keeps", "status"), [(False, 6), (True, 1)], ids=["expired it", "has it still"])
def test_a_missing_file_accuses_a_table_alone_that_has_not_moved_on(
    lake: Lake, command: Command, keeps: bool, status: int
) -> None:
    data_files(lake.table("orders", orders(0), orders(1)))[0].unlink()
    judged = max((lake.root("orders") / "metadata").glob("*.metadata.json"))
    move_on(lake.root("orders"), keeps=keeps)
    ran = command("check", judged, "--json")
    found = outcomes(ran)["every_file_exists"]
    assert (ran.status, found) == (status, Outcome.FINDING if status == 1 else Outcome.HELD)


@pytest.mark.parametrize(("keeps", "status"), [(False, 6), (True, 1)], ids=["expired it", "has it still"])
def test_a_missing_manifest_accuses_a_table_alone_that_has_not_moved_on(
    lake: Lake, command: Command, keeps: bool, status: int
) -> None:
    lake.table("orders", orders())
    metadata = lake.root("orders") / "metadata"
    judged = max(metadata.glob("*.metadata.json"))
    next(metadata.glob("*-m0.avro")).unlink()
    move_on(lake.root("orders"), keeps=keeps)
    assert command("check", judged).status == status


# a manifest that this machine, or an interrupt, keeps from being decoded


def raising(monkeypatch: pytest.MonkeyPatch, make: Callable[[], BaseException]) -> None:
    def fail(_: object) -> None:
        raise make()

    monkeypatch.setattr(avro, "decoded", fail)


def interrupted() -> BaseException:
    """As PyO3 tells an interrupt of a library."""
    error = SystemError("<method 'read_avro'> returned a result with an exception set")
    error.__cause__ = KeyboardInterrupt()
    return error


def test_an_interrupt_inside_a_decoder_accuses_no_manifest(
    lake: Lake, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.table("orders", orders())
    raising(monkeypatch, interrupted)
    assert command("check", lake.root("orders")).status == 2


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), MemoryError("no memory")], ids=["a full disk", "no memory"]
)
def test_what_this_machine_lacks_accuses_no_manifest(
    lake: Lake, command: Command, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    lake.table("orders", orders())
    raising(monkeypatch, lambda: error)
    ran = command("check", lake.root("orders"))
    assert (ran.status, ran.err.count("\n"), "this machine" in ran.err) == (6, 1, True), ran.err


def test_a_manifest_that_is_broken_once_is_read_again(
    lake: Lake, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.table("orders", orders())
    decode, asked = avro.decoded, []

    def first_broken(part: Any) -> pa.Table:
        asked.append(part)
        if len(asked) == 1:
            raise ValueError("another byte")
        return decode(part)

    monkeypatch.setattr(avro, "decoded", first_broken)
    assert command("check", lake.root("orders")).status == 0


def test_an_earlier_metadata_json_excuses_no_missing_file(lake: Lake, command: Command) -> None:
    """Such as that of the empty table, to which DuckDB gives the version of the next."""
    data_files(lake.table("orders", orders(0), orders(1)))[0].unlink()
    judged = max((lake.root("orders") / "metadata").glob("*.metadata.json"))
    move_on(lake.root("orders"), keeps=False, later=False)
    assert command("check", judged).status == 1
