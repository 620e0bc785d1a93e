"""`xtable-audit check` on Delta tables: healthy ones, false logs, versions, writers, and what cannot be judged."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.tables.lake import (
    ChangeAdd,
    Lake,
    by_delta_rs,
    by_polars,
    change_add,
    change_protocol,
    checkpointed,
    configure,
    log_file,
    orders,
    say_engine,
)
from tests.xtable_audit.cli.conftest import Command, Ran, command, lake
from tests.xtable_audit.formats.delta.tables import inline_vector
from xtable_audit.model.finding import Finding
from xtable_audit.model.result import READABLE

__all__ = ["command", "lake"]
HEALTHY: dict[str, Callable[[Path], Path]] = {
    "by delta-rs": by_delta_rs,
    "by Polars": by_polars,
    "partitioned by city": lambda root: by_delta_rs(root, partition_by=["city"]),
    "of a checkpoint whose commits are gone": lambda root: checkpointed(by_delta_rs(root)),
    "with statistics of two columns": lambda root: by_delta_rs(
        root, configuration={"delta.dataSkippingNumIndexedCols": "2"}
    ),
}
WORDS_OF_ICEBERG = ("iceberg", "manifest", "snapshot")


def findings(ran: Ran) -> list[Finding]:
    return [one.finding for one in ran.document.claims if one.finding is not None]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return by_delta_rs(tmp_path / "orders")


@pytest.mark.parametrize("make", HEALTHY.values(), ids=HEALTHY)
def test_a_healthy_table_has_no_finding(make: Callable[[Path], Path], tmp_path: Path, command: Command) -> None:
    ran = command("check", f"delta:{make(tmp_path / 'orders')}", "--yes")
    assert (ran.status, "NOTHING FOUND: every claim that applies holds" in ran.out) == (0, True), ran.out
    assert " · version 2\n" in ran.out


FALSE: dict[str, tuple[ChangeAdd, str]] = {
    "a minimum above the values": (lambda add, said: said["minValues"].update(id=39), "bounds_contain_values"),
    "a maximum cut to seconds": (
        lambda add, said: said["maxValues"].update(at=said["maxValues"]["at"].partition(".")[0]),
        "bounds_contain_values",
    ),
    "a maximum that is no number": (
        lambda add, said: said["maxValues"].update(id="many"),
        "bounds_are_of_the_columns_type",
    ),
    "numRecords of another number": (lambda add, said: said.update(numRecords=7), "record_counts_are_exact"),
    "a null count of all rows": (lambda add, said: said["nullCount"].update(id=20), "null_counts_are_exact"),
    "a size of another number": (lambda add, said: add.update(size=add["size"] + 1), "sizes_are_exact"),
    "a path of no file": (lambda add, said: add.update(path="gone.parquet"), "every_file_exists"),
}


def delete(table: Path, vector: dict[str, Any] | None) -> None:
    """The second file has this deletion vector."""
    names = ("timestampNtz", "deletionVectors")
    change_protocol(table, minReaderVersion=3, minWriterVersion=7, readerFeatures=names, writerFeatures=names)
    change_add(table, 1, lambda add, said: add.update(deletionVector=vector))


NOT_READ: dict[str, tuple[str, tuple[str, ...], int, str]] = {
    "that is gone": ("gone.bin", (), 1, "cannot be read: {table}/gone.bin is named by the metadata but does not exist"),
    "that a later version may have removed": (
        "gone.bin",
        ("--snapshot", "1"),
        6,
        "is gone, and the table has a later version, 2: check that one",
    ),
    "outside the table": ("/etc/passwd", (), 6, "is not read: /etc/passwd is outside {table}/, so it was not opened"),
}


@pytest.mark.parametrize(("address", "options", "status", "told"), NOT_READ.values(), ids=NOT_READ)
def test_a_deletion_vector_that_cannot_be_read_is_one_sentence(
    table: Path, command: Command, address: str, options: tuple[str, ...], status: int, told: str
) -> None:
    where = {"storageType": "p", "pathOrInlineDv": address, "offset": 1, "sizeInBytes": 40}
    delete(table, where | {"cardinality": 1})
    ran = command("check", f"delta:{table}", "--yes", "--json", *options)
    [read] = [one for one in ran.document.claims if one.claim == READABLE]
    said = read.finding.saw if read.finding is not None else str(read.reason)
    assert (ran.status, f"has a deletion vector that {told.format(table=table)}" in said) == (status, True), said


def test_a_file_is_read_again_once_a_deletion_vector_leaves_other_rows(table: Path, command: Command) -> None:
    """Its bytes are the same, and its actual values are not: the first row has the least id."""
    seen = []
    for rows in ((), (0,), (0,), (5,)):
        delete(table, inline_vector(*rows) if rows else None)
        ran = command("check", f"delta:{table}", "--yes")
        read = ran.err.partition("values to read: ")[2].partition(" file")[0]
        seen.append((read, "bounds_are_tight" in ran.out))
    assert seen == [("3", False), ("1", True), ("", True), ("1", False)]


@pytest.mark.parametrize(("change", "claim"), FALSE.values(), ids=FALSE)
def test_a_false_log_is_a_finding_in_delta_s_words(
    table: Path, command: Command, change: ChangeAdd, claim: str
) -> None:
    change_add(table, 1, change)
    ran = command("check", f"delta:{table}", "--yes", "--json")
    assert (ran.status, [one.claim for one in findings(ran)]) == (1, [claim]), ran.err
    screen = command("check", f"delta:{table}", "--yes").out
    assert not [word for word in WORDS_OF_ICEBERG if word in screen.lower()], screen


def test_the_document_names_format_version_and_writer(table: Path, command: Command) -> None:
    own = command("check", f"delta:{table}", "--yes", "--json").document.own_table
    assert own is not None
    assert (own.format, own.commit, own.snapshot, own.metadata_location) == (
        "delta",
        "version",
        2,
        str(log_file(table, 2)),
    )
    assert own.writer.startswith("delta-rs 1.")


@pytest.mark.parametrize(
    ("options", "files"),
    [(("--snapshot", "0"), 1), (("--as-of", "2100-01-01"), 3), (("--snapshot", "1", "--metadata-only"), 2)],
    ids=["version 0", "long after", "version 1, the log alone"],
)
def test_another_version_is_judged_by_its_own_files(
    table: Path, command: Command, options: tuple[str, ...], files: int
) -> None:
    own = command("check", f"delta:{table}", "--yes", "--json", *options).document.own_table
    assert own is not None
    assert own.files == files


def test_since_reads_the_files_alone_that_the_older_version_did_not_have(table: Path, command: Command) -> None:
    ran = command("check", f"delta:{table}", "--yes", "--since", "0")
    assert (ran.status, "NOTHING FOUND in 2 of 3 files" in ran.out) == (0, True)
    assert "those that version 0 did not have" in " ".join(ran.out.split())


def test_a_file_that_is_missing_is_not_among_those_whose_values_are_compared(table: Path, command: Command) -> None:
    whole = command("check", f"delta:{table}", "--yes", "--no-cache")
    assert "Compared: the metadata of 3 files with the values of" in " ".join(whole.out.split())
    next(table.glob("*.parquet")).unlink()
    ran = command("check", f"delta:{table}", "--yes", "--no-cache")
    assert (ran.status, "data files are missing" in ran.out) == (1, True)
    told = " ".join(ran.out.split())
    assert "Compared: the metadata of 2 of 3 files with the values of" in told
    assert "(40 rows" in told


def test_claims_with_the_same_cause_are_said_to_fail(table: Path, command: Command) -> None:
    change_add(table, 1, lambda add, said: said["minValues"].pop("id"))
    told = " ".join(command("check", f"delta:{table}", "--yes", "--fail-on", "LOOSE").out.split())
    assert "also fails: a point predicate on any column skips as many files as exact bounds would let it" in told


def test_rows_are_counted_as_they_are(table: Path, command: Command) -> None:
    change_add(table, 1, lambda add, said: said.update(numRecords=7))
    assert "(60 rows, " in command("check", f"delta:{table}", "--yes").out


def test_a_condition_counts_files_by_the_log(table: Path, command: Command) -> None:
    ran = command("check", f"delta:{table}", "--yes", "--where", "id = 25")
    assert "3 live · 1 planned · 1 matching file" in ran.out


@pytest.mark.parametrize(
    "options",
    [("--columns", "id,city"), ("--sample", "1"), ("--claim", "bounds_contain_values"), ("--max-bytes", "1MB")],
    ids=" ".join,
)
def test_part_of_a_table_is_judged(table: Path, command: Command, options: tuple[str, ...]) -> None:
    assert command("check", f"delta:{table}", "--yes", *options).status == 0


def to(source: str = "HUDI", **more: Any) -> str:
    return json.dumps({"version": 0, "lastInstantSynced": "2026-11-25T01:02:03Z", "sourceTableFormat": source, **more})


WRITERS = {
    "XTable 0.3.0 or later": (to(), "Apache-Spark/3.4.2 Delta-Lake/2.4.0"),
    "XTable 0.2.0": (json.dumps({"lastInstantSynced": "2026-11-25T01:02:03Z"}), "Apache-Spark/3.4.1 Delta-Lake/2.4.0"),
    "XTable 0.4.0 or later (Delta Kernel)": (to(), "Kernel-4.0.0/XTable Delta Sync"),
    "Spark 3.5.9": ("", "Apache-Spark/3.5.9 Delta-Lake/3.2.1"),
    "Databricks 16.4.x-scala2.12": ("", "Databricks-Runtime/16.4.x-scala2.12"),
    "": ("", ""),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_configuration_and_commit_tell_who_wrote_the_table(tmp_path: Path, command: Command, writer: str) -> None:
    content, engine = WRITERS[writer]
    table = by_delta_rs(tmp_path / "orders", orders())
    if content:
        configure(table, XTABLE_METADATA=content)
    say_engine(table, 0, engine)
    own = command("check", f"delta:{table}", "--metadata-only", "--json").document.own_table
    assert own is not None
    assert own.writer == writer


@pytest.mark.parametrize("engine", ["", "delta-rs:py-1.6.6"], ids=["nobody named", "delta-rs"])
def test_a_finding_blames_what_the_commit_names(table: Path, command: Command, engine: str) -> None:
    change_add(table, 1, lambda add, said: said["minValues"].update(id=39))
    say_engine(table, 1, engine)
    [found] = findings(command("check", f"delta:{table}", "--yes", "--json"))
    assert found.blame == f"writer {'delta-rs' if engine else 'unknown'}"


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-40])


ABSENT = {
    "an empty folder": ("", "folder", "is no Iceberg table: {root}/folder/metadata holds no metadata.json"),
    "an empty log": ("", "begun", "is no Delta table: {root}/begun/_delta_log holds no commit and no checkpoint"),
    "an empty log, by its own name": ("", "begun/_delta_log", "{root}/begun/_delta_log holds no commit"),
    "no folder": ("delta:", "none", "there is no folder {root}/none"),
    "an empty folder of Delta's": ("delta:", "folder", "{root}/folder/_delta_log holds no commit and no checkpoint"),
}


@pytest.mark.parametrize(("prefix", "name", "told"), ABSENT.values(), ids=ABSENT)
def test_what_is_no_table_says_what_it_lacks(
    tmp_path: Path, command: Command, prefix: str, name: str, told: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "begun" / "_delta_log").mkdir(parents=True)
    ran = command("check", f"{prefix}{tmp_path / name}")
    assert (ran.status, told.format(root=tmp_path) in ran.err) == (4, True), ran.err


BROKEN: dict[str, tuple[Callable[[Path], Any], int, str]] = {
    "without a log": (
        lambda table: shutil.rmtree(table / "_delta_log"),
        4,
        "is no Delta table: {log} holds no commit and no checkpoint; name the folder that holds _delta_log",
    ),
    "with a truncated newest commit": (
        lambda table: truncate(log_file(table, 2)),
        4,
        "2.json is not a commit of Delta: line 2 ends inside a string, at column ",
    ),
    "with an empty newest commit": (lambda table: log_file(table, 2).write_text(""), 4, "2.json is empty: a commit"),
    "with an empty older commit": (lambda table: log_file(table, 1).write_text(""), 1, "1.json is empty: a commit"),
    "with a truncated older commit": (lambda table: truncate(log_file(table, 1)), 1, "1.json is not a commit of Delta"),
    "with a gap in its versions": (lambda table: log_file(table, 1).unlink(), 1, "lacks the commit of version 1"),
    "with an unreadable checkpoint": (
        lambda table: truncate(next((checkpointed(table) / "_delta_log").glob("*.parquet"))),
        1,
        "is not a checkpoint that can be read",
    ),
    "that asks for a feature nobody knows": (
        partial(change_protocol, minReaderVersion=3, minWriterVersion=7, readerFeatures=["x"], writerFeatures=["x"]),
        4,
        "the table asks its readers for the feature x, which cannot be judged here",
    ),
    "that asks for a reader of the future": (
        partial(change_protocol, minReaderVersion=9),
        4,
        "the table asks for readers of version 9 of Delta's protocol, and is read by versions up to 3",
    ),
    "with a file outside its folder": (
        lambda table: change_add(table, 1, lambda add, said: add.update(path="/elsewhere/a.parquet")),
        4,
        "names the data file /elsewhere/a.parquet, outside {table}/, so it was not opened",
    ),
}


@pytest.mark.parametrize(("spoil", "status", "told"), BROKEN.values(), ids=BROKEN)
def test_what_cannot_be_judged_is_one_sentence(
    table: Path, command: Command, spoil: Callable[[Path], Any], status: int, told: str
) -> None:
    spoil(table)
    ran = command("check", f"delta:{table}", "--yes", "--json")
    said = ran.err if status == 4 else "".join(one.saw for one in findings(ran))
    assert (ran.status, told.format(table=table, log=table / "_delta_log") in said) == (status, True), said
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("spoil", "file", "before"),
    [
        (lambda table: truncate(log_file(table, 1)), "the file of that commit", " --snapshot 0"),
        (lambda table: log_file(table, 1).unlink(), "the file of that commit", " --snapshot 0"),
        (lambda table: truncate(log_file(table, 0)), "the file of that commit", ""),
        (lambda table: truncate(next((checkpointed(table) / "_delta_log").glob("*.parquet"))), "that file", ""),
    ],
    ids=["truncated", "missing", "the first, truncated", "a checkpoint"],
)
def test_a_log_that_cannot_be_read_is_restored_and_what_came_before_can_be_checked(
    table: Path, command: Command, spoil: Callable[[Path], Any], file: str, before: str
) -> None:
    spoil(table)
    [found] = findings(command("check", f"delta:{table}", "--yes", "--json"))
    assert found.expected == "a log without gaps whose every line is one action"
    assert found.because == "nothing in the log says what wrote it"
    restore, *rest = found.advice
    assert restore == f"Restore {file}, from a backup or an older version that the bucket keeps"
    assert [words.partition(": ")[2] for words in rest] == (
        [f"xtable-audit check delta:{table}{before}"] if before else []
    )
    for words in rest:
        assert command(*words.partition(": xtable-audit ")[2].split(), "--yes").status == 0


@pytest.mark.parametrize("translated", [False, True], ids=["by another", "by XTable"])
def test_a_source_is_asked_for_where_the_table_has_one(table: Path, command: Command, translated: bool) -> None:
    if translated:
        configure(table, XTABLE_METADATA=to())
    assert ("none is named (--source)" in command("check", f"delta:{table}", "--yes").out) == translated


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--branch", "audit"), "a Delta table has neither branches nor tags"),
        (("--snapshot", "7"), "the table has no version 7; its newest is 2"),
        (("--as-of", "2020-01-01"), "the table had no version at 2020-01-01"),
        (("--since", "9"), "the table has no version 9"),
        (("--claim", "manifest_counts_are_exact"), "it is no claim about Delta tables"),
        (("--source", "hudi:/lake/orders"), "the table's configuration has no XTABLE_METADATA"),
        (("--where", "price > 'x'"), "which is of type double"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, tuple) else "",
)
def test_an_option_that_does_not_fit_is_one_sentence(
    table: Path, command: Command, options: tuple[str, ...], told: str
) -> None:
    ran = command("check", f"delta:{table}", "--yes", *options)
    assert (ran.status, told in ran.err) == (4, True), ran.err


@pytest.mark.parametrize("place", ["", "_delta_log", f"_delta_log/{2:020}.json"], ids=["root", "log", "commit"])
def test_a_location_that_is_delta_s_alone_needs_no_prefix(table: Path, command: Command, place: str) -> None:
    ran = command("check", table / place, "--metadata-only")
    assert (ran.status, "orders · 3 files" in ran.out, "version 2" in ran.out) == (0, True, True)
    assert ("it is checked as a Delta table" in " ".join(ran.out.split())) == (not place.endswith("json"))


def test_a_folder_of_both_formats_is_iceberg_s_and_says_how_the_other_is_checked(lake: Lake, command: Command) -> None:
    lake.table("orders", orders())
    by_delta_rs(root := lake.root("orders"))
    document = command("check", root, "--metadata-only", "--json").document
    assert document.own_table is not None
    assert document.own_table.format == "iceberg"
    again = f"xtable-audit check delta:{root}"
    assert f"The folder holds a Delta table too, which is not checked: {again}" in document.notes


def test_deleted_rows_are_not_asked_of_the_table(tmp_path: Path, command: Command) -> None:
    """A later version rewrites the file without them."""
    from deltalake import DeltaTable

    table = by_delta_rs(tmp_path / "orders")
    DeltaTable(str(table)).delete("id = 5")
    assert command("check", f"delta:{table}", "--yes").status == 0


def test_a_column_added_later_is_null_in_older_files(tmp_path: Path, command: Command) -> None:
    more = orders(1).append_column("note", pa.array(["x"] * 20))
    table = by_delta_rs(tmp_path / "orders", orders(0))
    by_delta_rs(table, more, schema_mode="merge")
    assert command("check", f"delta:{table}", "--yes").status == 0
