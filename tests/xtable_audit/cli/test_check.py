"""`xtable-audit check`: what a user sees of a table, and with which status it ends."""

from __future__ import annotations

import datetime as dt
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tests.tables.lake import XTABLE, Lake, data_files, exchange, orders, with_column
from tests.xtable_audit.cli.conftest import Command, outcomes
from xtable_audit.claims import CLAIMS
from xtable_audit.model.outcome import Outcome


@pytest.fixture
def false_bound(lake: Lake) -> Path:
    """A table whose upper bound of `id` is below a value."""
    table = lake.table("orders", orders(0), orders(1))
    exchange(data_files(table)[0], with_column("id", lambda ids: pc.add(ids, 1000)))
    return lake.root("orders")


@pytest.fixture
def by_xtable(lake: Lake) -> Path:
    """A table as XTable writes it of millisecond timestamps: its bounds are in January 1970."""
    of_1970 = with_column("at", lambda at: pc.divide(at.cast(pa.int64()), 1000).cast(pa.timestamp("us")))
    table = lake.table("orders", of_1970(orders()), **XTABLE)
    exchange(data_files(table)[0], with_column("at", lambda _: orders()["at"]))
    return lake.root("orders")


def test_a_healthy_table_has_no_finding(lake: Lake, command: Command) -> None:
    lake.evolved()
    ran = command("check", lake.root("evolved"), "--json")
    assert (ran.status, ran.document.count(Outcome.FINDING, Outcome.KNOWN)) == (0, 0), ran.out


def test_a_planted_fault_of_an_evolved_table_is_found_and_nothing_else(lake: Lake, command: Command) -> None:
    table = lake.evolved()

    def one_more(ids: pa.ChunkedArray) -> pa.Array:
        return pa.array([*ids.to_pylist()[:-1], 99_999], pa.int64())

    exchange(data_files(table)[-1], with_column("id", one_more))
    told = outcomes(command("check", lake.root("evolved"), "--json"))
    assert {id for id, outcome in told.items() if outcome is Outcome.FINDING} == {"bounds_contain_values"}


def test_every_claim_about_a_table_is_checked(lake: Lake, command: Command) -> None:
    lake.evolved()
    assert {*CLAIMS} <= {*outcomes(command("check", lake.root("evolved"), "--json"))}


def test_the_verdict_is_the_second_line_and_the_last(false_bound: Path, command: Command) -> None:
    lines = command("check", false_bound).out.splitlines()
    assert lines[1] == lines[-1] == "DO NOT TRUST for id: readers lose rows".ljust(74) + "exit 1"


@pytest.mark.parametrize("table", ["false_bound", "by_xtable"])
def test_no_line_is_longer_than_80_columns(table: str, command: Command, request: pytest.FixtureRequest) -> None:
    ran = command("check", request.getfixturevalue(table))
    assert [line for line in ran.out.splitlines() if len(line) > 80 and not line.startswith("Report: ")] == []


def test_a_false_bound_ends_with_1_and_shows_a_query_that_loses_rows(false_bound: Path, command: Command) -> None:
    ran = command("check", false_bound)
    assert ran.status == 1
    assert re.search(r"WHERE id = 10[13]9 skips", ran.out)


def test_a_finding_is_known_by_its_sign_on_any_table_of_xtable(by_xtable: Path, command: Command) -> None:
    ran = command("check", by_xtable, "--json")
    [contained, *_] = [one.finding for one in ran.document.claims if one.claim == "bounds_contain_values"]
    assert contained is not None
    assert (ran.status, contained.registered, contained.blame) == (1, "XTF-004", "xtable")


def test_what_a_known_cause_breaks_besides_is_known_too(by_xtable: Path, command: Command) -> None:
    ran = command("check", by_xtable, "--json")
    assert outcomes(ran)["bounds_are_tight"] is Outcome.KNOWN
    assert ran.document.count(Outcome.FINDING) == 0


def test_a_known_finding_comes_with_its_remedy(by_xtable: Path, command: Command) -> None:
    out = " ".join(command("check", by_xtable).out.split())
    assert "known as XTF-004" in out
    assert "do First, in the source, for existing rows too: Write timestamps in microseconds" in out


def test_the_same_sign_in_another_writers_table_is_not_known(lake: Lake, command: Command) -> None:
    of_1970 = with_column("at", lambda at: pc.divide(at.cast(pa.int64()), 1000).cast(pa.timestamp("us")))
    table = lake.table("orders", of_1970(orders()))
    exchange(data_files(table)[0], with_column("at", lambda _: orders()["at"]))
    ran = command("check", lake.root("orders"), "--json")
    assert (ran.document.count(Outcome.KNOWN), outcomes(ran)["bounds_contain_values"]) == (0, Outcome.FINDING)


def test_an_accepted_finding_does_not_fail_the_check(by_xtable: Path, command: Command) -> None:
    ran = command("check", by_xtable, "--accept", "XTF-004")
    assert (ran.status, "NOTHING FOUND but what is accepted" in ran.out) == (0, True), ran.out


def test_a_new_finding_fails_beside_an_accepted_one(by_xtable: Path, command: Command, lake: Lake) -> None:
    [file] = data_files(lake.catalog.load_table("shop.orders"))
    exchange(file, with_column("id", lambda ids: pc.add(ids, 1000)))
    assert command("check", by_xtable, "--accept", "XTF-004").status == 1


def test_json_is_the_document_alone_and_the_report_is_the_same(false_bound: Path, command: Command) -> None:
    ran = command("check", false_bound, "--json")
    [report] = Path("out").glob("*/audit.json")
    assert json.loads(ran.out) == json.loads(report.read_text())


def test_a_claim_can_be_checked_alone_as_its_finding_says(false_bound: Path, command: Command) -> None:
    found = command("check", false_bound, "--json").document.failing_on[0]
    words = found.again.split()
    again = command(*words[1:], "--json")
    assert found.claim in {one.claim for one in again.document.failing_on}


def test_metadata_alone_reads_no_data_file(lake: Lake, command: Command) -> None:
    for file in data_files(lake.table("orders", orders())):
        file.unlink()
    ran = command("check", lake.root("orders"), "--metadata-only")
    assert (ran.status, "no value was compared" in ran.out) == (0, True), ran.out
    assert "claims about values not checked" in ran.out


def test_the_values_of_some_columns_are_compared_alone(false_bound: Path, command: Command) -> None:
    assert command("check", false_bound, "--columns", "price,city").status == 0
    assert command("check", false_bound, "--columns", "id").status == 1


def test_a_missing_data_file_is_a_finding(lake: Lake, command: Command) -> None:
    data_files(lake.table("orders", orders(0), orders(1)))[0].unlink()
    ran = command("check", lake.root("orders"), "--json")
    assert (ran.status, outcomes(ran)["every_file_exists"]) == (1, Outcome.FINDING)


def test_a_damaged_data_file_is_a_finding_and_the_others_are_judged(lake: Lake, command: Command) -> None:
    [damaged, other] = data_files(lake.table("orders", orders(0), orders(1)))
    damaged.write_bytes(damaged.read_bytes()[:-8] + b"        ")
    exchange(other, with_column("id", lambda ids: pc.add(ids, 1000)))
    found = outcomes(command("check", lake.root("orders"), "--json"))
    assert found["metadata_and_data_files_can_be_read"] is Outcome.FINDING
    assert found["bounds_contain_values"] is Outcome.FINDING


def test_a_missing_manifest_is_a_finding(lake: Lake, command: Command) -> None:
    table = lake.table("orders", orders())
    snapshot = table.current_snapshot()
    assert snapshot is not None
    for manifest in snapshot.manifests(table.io):
        Path(manifest.manifest_path.removeprefix("file://")).unlink()
    ran = command("check", lake.root("orders"))
    assert (ran.status, "DO NOT TRUST: it breaks the specification" in ran.out) == (1, True), ran.out


def test_an_empty_table_has_no_finding(lake: Lake, command: Command) -> None:
    lake.catalog.create_table("shop.empty", orders().schema)
    ran = command("check", lake.root("empty"))
    assert (ran.status, "empty · 0 files · 5 columns · no snapshot" in ran.out) == (0, True), ran.out
    assert "The table has no snapshot: readers show no rows" in ran.out


def test_a_table_with_a_snapshot_is_not_said_to_have_none(lake: Lake, command: Command) -> None:
    lake.table("orders", orders())
    assert "readers show no rows" not in command("check", lake.root("orders")).out


def test_names_with_control_characters_are_escaped(lake: Lake, command: Command) -> None:
    rows = pa.table({"a\x1b[31mred": pa.array([1, 2, 3])})
    table = lake.table("odd", rows)
    exchange(data_files(table)[0], lambda held: held.set_column(0, held.schema.field(0), pa.array([7, 8, 9])))
    ran = command("check", lake.root("odd"))
    assert ("\x1b" in ran.out, "a\\x1b[31mred" in ran.out) == (False, True)


# which state


@pytest.fixture
def history(lake: Lake) -> tuple[Path, list[int], list[dt.datetime]]:
    """A table that was healthy, and whose second file is not: its root, its snapshots, and their times."""
    table = lake.table("orders", orders(0))
    healthy = set(data_files(table))
    table.append(orders(1))
    [second] = set(data_files(table)) - healthy
    exchange(second, with_column("id", lambda ids: pc.add(ids, 1000)))
    ids = [entry.snapshot_id for entry in table.history()]
    times = [dt.datetime.fromtimestamp(entry.timestamp_ms / 1000, dt.UTC) for entry in table.history()]
    with table.manage_snapshots() as snapshots:
        snapshots.create_branch(ids[0], "audit").create_tag(ids[1], "release")
    return lake.root("orders"), ids, times


def test_an_older_snapshot_is_judged_by_its_id(history: Any, command: Command) -> None:
    root, ids, _ = history
    assert [command("check", root, "--snapshot", id).status for id in ids] == [0, 1]


def test_an_older_snapshot_is_judged_by_its_time(history: Any, command: Command) -> None:
    root, _, times = history
    later = times[1] + dt.timedelta(seconds=1)
    between = times[0] + (times[1] - times[0]) / 2
    assert [command("check", root, "--as-of", time.isoformat()).status for time in (between, later)] == [0, 1]


@pytest.mark.parametrize(("name", "status"), [("audit", 0), ("release", 1), ("main", 1)])
def test_a_branch_or_a_tag_is_judged_by_its_name(history: Any, command: Command, name: str, status: int) -> None:
    assert command("check", history[0], "--branch", name).status == status


# a sample


def test_a_sample_says_what_it_can_show(lake: Lake, command: Command) -> None:
    lake.table("orders", *(orders(number, rows=5) for number in range(12)))
    ran = command("check", lake.root("orders"), "--sample", 6, "--seed", 3)
    assert "6 drawn at random (seed 3)" in ran.out
    assert "is in at most 50 % of all" in " ".join(ran.out.split())
    assert re.search(r"NOTHING FOUND in \d+ of 12 files", ran.out)


def test_a_sample_reads_a_file_whose_metrics_look_odd(lake: Lake, command: Command) -> None:
    files = [orders(number, rows=5) for number in range(40)]
    files[17] = with_column("price", lambda price: pa.nulls(len(price), pa.float64()))(files[17])
    table = lake.table("orders", *files)
    [odd] = [
        Path(task.file.file_path.removeprefix("file://"))
        for task in table.scan("price is null and id >= 85 and id < 90").plan_files()
    ]
    exchange(odd, with_column("price", lambda price: pa.array(np.full(len(price), 2.5))))
    assert all(command("check", lake.root("orders"), "--sample", 2, "--seed", seed).status == 1 for seed in range(3))


def test_no_more_than_the_allowed_bytes_are_read(lake: Lake, command: Command) -> None:
    table = lake.table("orders", *(orders(number) for number in range(8)))
    sizes = [task.file.file_size_in_bytes for task in table.scan().plan_files()]
    ran = command("check", lake.root("orders"), "--max-bytes", sum(sizes) // 2, "--json")
    own = ran.document.own_table
    assert own is not None
    assert own.read is not None
    assert 0 < own.read <= 4


# what is kept for the next run


def test_a_second_run_reads_no_data_file(lake: Lake, command: Command) -> None:
    lake.table("orders", orders(0), orders(1))
    first, second = (command("check", lake.root("orders")) for _ in range(2))
    assert ("values to read: 2 files" in first.err, "values to read" in second.err) == (True, False)
    assert second.status == 0


def test_a_second_run_reads_new_files_alone(lake: Lake, command: Command) -> None:
    table = lake.table("orders", orders(0), orders(1))
    command("check", lake.root("orders"))
    table.append(orders(2))
    assert "values to read: 1 file," in command("check", lake.root("orders")).err


def test_a_second_run_finds_what_the_first_found(false_bound: Path, command: Command) -> None:
    first, second = (outcomes(command("check", false_bound, "--json")) for _ in range(2))
    assert first == second


def test_a_file_that_was_exchanged_is_read_again(lake: Lake, command: Command) -> None:
    [file, _] = data_files(lake.table("orders", orders(0), orders(1)))
    assert command("check", lake.root("orders")).status == 0
    exchange(file, with_column("id", lambda ids: pc.add(ids, 1000)))
    assert command("check", lake.root("orders")).status == 1


def test_other_columns_are_read_anew(lake: Lake, command: Command) -> None:
    lake.table("orders", orders(0))
    command("check", lake.root("orders"), "--columns", "id")
    assert "values to read: 1 file" in command("check", lake.root("orders"), "--columns", "price").err


def test_without_a_cache_every_run_reads_all(lake: Lake, command: Command, tmp_path: Path) -> None:
    lake.table("orders", orders(0))
    runs = [command("check", lake.root("orders"), "--no-cache") for _ in range(2)]
    assert [("values to read: 1 file" in ran.err) for ran in runs] == [True, True]
    assert not (tmp_path / "cache").exists()


def test_a_damaged_cache_is_as_none(lake: Lake, command: Command, tmp_path: Path) -> None:
    lake.table("orders", orders(0))
    command("check", lake.root("orders"))
    [kept] = (tmp_path / "cache").rglob("*.arrow")
    kept.write_bytes(b"nonsense")
    ran = command("check", lake.root("orders"))
    assert (ran.status, "values to read: 1 file" in ran.err) == (0, True)


# what a user can correct


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("/nowhere",), "/nowhere is no Iceberg table: /nowhere/metadata holds no metadata.json"),
        (("/nowhere/v1.metadata.json",), "there is no file /nowhere/v1.metadata.json"),
        (("ftp://host/t",), "is in no store that can be read"),
        (("nobodys.shop.orders",), "the catalog nobodys cannot be opened"),
        (("ORDERS", "--snapshot", "7"), "the table has no snapshot 7; its newest are"),
        (("ORDERS", "--branch", "gone"), "the table has no branch or tag gone; it has main"),
        (("ORDERS", "--as-of", "1999-01-01"), "the table had no snapshot at 1999-01-01"),
        (("ORDERS", "--as-of", "soon"), "is no time"),
        (("ORDERS", "--columns", "prize"), "did you mean price?"),
        (("ORDERS", "--claim", "bounds_contain_value"), "did you mean bounds_contain_values?"),
        (("ORDERS", "--accept", "XTF-999"), "There is no finding XTF-999"),
        (("ORDERS", "--accept", "XTF-009"), "XTF-009 has become part of XTF-003"),
        (("ORDERS", "--max-bytes", "10"), "a data file of the table has more than the 10 bytes"),
        (("ORDERS", "--max-bytes", "much"), "is no size"),
        (("ORDERS", "--snapshot", "7", "--branch", "main"), "name one of --snapshot, --as-of and --branch"),
        ((), "Missing argument 'LOCATION'"),
    ],
    ids=lambda one: " ".join(one) or "nothing" if isinstance(one, tuple) else "",
)
def test_bad_input_is_a_sentence_and_ends_with_4(
    words: tuple[str, ...], sentence: str, lake: Lake, command: Command
) -> None:
    lake.table("orders", orders())
    ran = command("check", *(str(lake.root("orders")) if word == "ORDERS" else word for word in words))
    assert (ran.status, sentence in ran.err, "Traceback" in ran.err) == (4, True, False), ran.err


def test_a_file_that_is_no_table_metadata_ends_with_4(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "x.metadata.json"
    file.write_text("{}")
    ran = command("check", file)
    assert (ran.status, "is not Iceberg table metadata" in ran.err) == (4, True), ran.err


def test_data_files_elsewhere_are_no_finding_until_the_user_allows_them(
    lake: Lake, command: Command, tmp_path: Path
) -> None:
    """As `write.data.path` and `add_files` have them: the table is legal."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    lake.table("orders", orders(), **{"write.data.path": f"file://{elsewhere}"})
    asked = command("check", lake.root("orders"))
    allowed = command("check", lake.root("orders"), "--allow-prefix", f"file://{elsewhere}")
    assert (asked.status, "--allow-prefix" in asked.err, "Traceback" in asked.err) == (4, True, False), asked.err
    assert allowed.status == 0, allowed.out + allowed.err


def test_a_store_that_does_not_answer_ends_with_6(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "ENDPOINT_URL_S3": "http://127.0.0.1:9",
        "ACCESS_KEY_ID": "a",
        "SECRET_ACCESS_KEY": "b",
    }.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    ran = command("check", "s3://lake/orders/metadata/v1.metadata.json")
    assert (ran.status, "Traceback" in ran.err) == (6, False), ran.err


def test_a_report_that_cannot_be_written_is_said_and_no_more(
    lake: Lake, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    lake.table("orders", orders())
    monkeypatch.setattr(Path, "write_text", full)
    ran = command("check", lake.root("orders"))
    assert (ran.status, "no report is written" in ran.err, "Report:" in ran.out) == (0, True, False)


def test_a_table_is_read_from_anywhere_and_nothing_beside_it_is_written(lake: Lake, command: Command) -> None:
    lake.table("orders", orders())
    before = sorted(lake.folder.rglob("*"))
    command("check", lake.root("orders"))
    assert sorted(lake.folder.rglob("*")) == before


def test_a_translated_table_is_told_that_its_source_is_not_read(by_xtable: Path, command: Command) -> None:
    out = " ".join(command("check", by_xtable, "--metadata-only").out.split())
    assert "The Hudi source is not read: whether all of its rows are here" in out


def test_what_no_reader_answers_wrongly_for_is_no_proof_of_right_results(lake: Lake, command: Command) -> None:
    """A summary is one row off: that misleads no reader, and says nothing of what was not compared."""
    lake.table("orders", orders())
    metadata = max(lake.root("orders").glob("metadata/*.metadata.json"))
    told = json.loads(metadata.read_text())
    told["snapshots"][-1]["summary"]["added-records"] = "21"
    metadata.write_text(json.dumps(told))
    ran = command("check", metadata)
    assert ran.out.splitlines()[1].startswith("NO WRONG RESULTS FOUND: what is wrong misleads no known reader")
