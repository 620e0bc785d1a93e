"""`xtable-audit check --source`: the table against the Hudi or Delta table that it was made from."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.tables.lake import Lake, orders
from tests.tables.translated import Translated, translate
from tests.xtable_audit.cli.conftest import Command, Ran, outcomes
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.own_table import SourceFacts

OF_FILES = ("no_file_is_missing", "no_file_is_stale", "no_column_is_left_over")
OF_ROWS = ("no_row_is_missing", "no_row_is_shown_twice", "no_row_is_stale", "values_are_those_of_the_source")
OF_SPEC = "spec_is_the_configured_one"
HEALTHY = {"history_upsert": ("part",), "v8_upsert": ("part",), "v9_upsert": ("part",), "delta_plain": ()}
"""Tables of each layout, and what they are partitioned by."""


def facts(ran: Ran) -> SourceFacts:
    table = ran.document.own_table
    assert table is not None
    assert table.source is not None
    return table.source


def why(ran: Ran, claim: str) -> str:
    [result] = [one for one in ran.document.claims if one.claim == claim]
    return result.why


@pytest.fixture
def check(command: Command) -> Callable[..., Ran]:
    def check(of: Translated, *more: object) -> Ran:
        return command("check", of.root, "--source", of.named, "--json", *more)

    return check


Check = Callable[..., Ran]


@pytest.mark.parametrize(("table", "partition_by"), HEALTHY.items())
def test_a_right_translation_has_no_finding(
    table: str, partition_by: tuple[str, ...], tmp_path: Path, check: Check
) -> None:
    of = translate(table, tmp_path, partition_by=partition_by)
    config = ("--config", of.config("part:VALUE")) if of.format == "hudi" else ()
    ran = check(of, *config)
    assert (ran.status, {outcomes(ran)[id] for id in (*OF_FILES, *OF_ROWS, OF_SPEC)}) == (0, {Outcome.HELD}), ran.out


def test_without_a_source_its_claims_do_not_apply(tmp_path: Path, command: Command) -> None:
    ran = command("check", translate("delta_plain", tmp_path).root, "--json")
    assert {outcomes(ran)[id] for id in (*OF_FILES, *OF_ROWS, OF_SPEC)} == {Outcome.NOT_APPLICABLE}


def test_the_document_says_what_it_is_compared_with(tmp_path: Path, check: Check) -> None:
    of = translate("delta_z_ordered", tmp_path)
    assert facts(check(of)) == SourceFacts("delta", str(of.root), "", "1", "1", 0, 1, 10)


@pytest.mark.parametrize("table", ["history_upsert", "delta_plain"])
def test_a_live_file_that_is_missing_is_a_finding(table: str, tmp_path: Path, check: Check) -> None:
    ran = check(translate(table, tmp_path, lambda files: files[1:]))
    assert (ran.status, outcomes(ran)["no_file_is_missing"]) == (1, Outcome.FINDING)
    assert outcomes(ran)["no_row_is_missing"] is Outcome.FINDING


@pytest.mark.parametrize("options", [(), ("--metadata-only",)], ids=["by its values", "by metadata alone"])
def test_a_file_that_the_source_has_replaced_is_a_finding(
    tmp_path: Path, check: Check, options: tuple[str, ...]
) -> None:
    def with_older(files: list[str]) -> list[str]:
        older = {one.relative_to(root).as_posix() for one in root.glob("part=a/*.parquet")} - {*files}
        return [*files, min(older)]

    root = tmp_path / "history_upsert"
    ran = check(translate("history_upsert", tmp_path, with_older), *options)
    assert (ran.status, outcomes(ran)["no_file_is_stale"]) == (1, Outcome.FINDING)


def test_a_file_that_is_missing_is_found_by_metadata_alone(tmp_path: Path, check: Check) -> None:
    ran = check(translate("delta_plain", tmp_path, lambda files: files[1:]), "--metadata-only")
    assert outcomes(ran)["no_file_is_missing"] is Outcome.FINDING


def test_another_spec_than_the_configured_one_is_a_finding(tmp_path: Path, check: Check) -> None:
    of = translate("history_upsert", tmp_path, partition_by=())
    ran = check(of, "--config", of.config("part:VALUE"), "--fail-on", "LOOSE")
    assert (ran.status, outcomes(ran)[OF_SPEC]) == (1, Outcome.FINDING)


def test_without_its_configuration_a_spec_of_a_hudi_table_is_not_judged(tmp_path: Path, check: Check) -> None:
    assert outcomes(check(translate("history_upsert", tmp_path)))[OF_SPEC] is Outcome.NOT_APPLICABLE


def test_without_its_configuration_no_spec_of_a_partitioned_table_is_a_finding(tmp_path: Path, check: Check) -> None:
    ran = check(translate("history_upsert", tmp_path, partition_by=()), "--fail-on", "LOOSE")
    [finding] = [one.finding for one in ran.document.claims if one.claim == OF_SPEC]
    assert finding is not None
    assert (ran.status, finding.saw.startswith("unpartitioned")) == (1, True)
    assert finding.advice[-1].endswith(" (YAML): partitionSpec: part:VALUE")


def test_a_column_that_the_source_has_dropped_is_a_finding(tmp_path: Path, check: Check) -> None:
    of = translate("delta_plain", tmp_path)
    with of.table.update_schema() as schema:
        schema.add_column("left_over", schema._schema.fields[0].field_type)
    assert outcomes(check(of))["no_column_is_left_over"] is Outcome.FINDING


# updates and deletes beside the data files

BESIDE = {"mor_late_compaction": "1 update in 1 log file", "delta_vectors": "3 deletes in its deletion vector"}


KNOWN = {"mor_late_compaction": "XTF-031", "delta_vectors": "XTF-037"}


@pytest.mark.parametrize(("table", "id"), KNOWN.items())
def test_rows_that_the_source_changed_elsewhere_are_stale_and_the_cause_is_known(
    table: str, id: str, tmp_path: Path, check: Check
) -> None:
    ran = check(translate(table, tmp_path))
    [finding] = [one.finding for one in ran.document.claims if one.finding]
    assert (ran.status, finding.claim, finding.registered) == (1, "no_row_is_stale", id)


def test_a_stale_row_of_another_file_has_another_cause(tmp_path: Path, check: Check) -> None:
    """A base file that the source has replaced is translated instead of its newest version."""

    def older(files: list[str]) -> list[str]:
        before = {one.relative_to(root).as_posix() for one in root.glob("part=a/*.parquet")} - {*files}
        return [*(one for one in files if not one.startswith("part=a/")), min(before)]

    root = tmp_path / "history_upsert"
    ran = check(translate("history_upsert", tmp_path, older))
    [finding] = [one.finding for one in ran.document.claims if one.claim == "no_row_is_stale"]
    assert finding is not None
    assert (finding.verdict, finding.registered) == ("STALE", None)


@pytest.mark.parametrize(("table", "words"), BESIDE.items())
def test_they_are_found_by_the_log_alone(table: str, words: str, tmp_path: Path, check: Check) -> None:
    ran = check(translate(table, tmp_path), "--metadata-only")
    [finding] = [one.finding for one in ran.document.claims if one.finding]
    assert (finding.claim, f"the source keeps {words} of " in finding.saw) == ("no_row_is_stale", True), finding.saw


def test_an_update_that_may_be_older_than_the_row_is_not_judged_by_the_log(tmp_path: Path, check: Check) -> None:
    of = translate("mor_late_compaction", tmp_path)
    settings = of.root / ".hoodie" / "hoodie.properties"
    with settings.open("a", encoding="utf-8") as stream:
        stream.write("hoodie.record.merge.mode=EVENT_TIME_ORDERING\n")
    ran = check(of, "--metadata-only")
    assert (ran.status, outcomes(ran)["no_row_is_stale"]) == (6, Outcome.INCONCLUSIVE)
    assert "1 update in 1 log file, which may take effect or not" in why(ran, "no_row_is_stale")


# rows


def test_a_value_that_the_table_shows_otherwise_is_a_finding(tmp_path: Path, check: Check) -> None:
    """A column that was renamed, and whose values are not found under the new name."""
    of = translate("delta_plain", tmp_path)
    [column] = [name for name in of.table.schema().column_names if name == "s"]
    with of.table.update_schema() as schema:
        schema.rename_column(column, "other")
    assert outcomes(check(of))["values_are_those_of_the_source"] is Outcome.FINDING


@pytest.mark.parametrize("option", [("--sample", 1), ("--columns", "record_key")])
def test_rows_are_not_compared_in_part(option: tuple[object, ...], tmp_path: Path, check: Check) -> None:
    ran = check(translate("delta_plain", tmp_path), *option)
    assert (ran.status, facts(ran).rows, outcomes(ran)["no_row_is_missing"]) == (0, None, Outcome.NOT_APPLICABLE)
    assert "Rows are not compared with the source's: not all of the table is read." in ran.document.notes


@pytest.mark.parametrize("table", ["history_upsert", "delta_plain"])
def test_of_a_large_table_rows_of_some_files_are_compared(
    table: str, tmp_path: Path, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = translate(table, tmp_path)
    sizes = [file.stat().st_size for file in of.files]
    assert len(sizes) > 1
    monkeypatch.setattr("xtable_audit.check.source.MOST", max(sizes))
    ran, whole = check(of), sum(pq.read_metadata(file).num_rows for file in of.files)
    compared = facts(ran).rows
    assert compared is not None
    assert (ran.status, 0 < compared < whole, {outcomes(ran)[id] for id in OF_ROWS}) == (0, True, {Outcome.HELD})
    [note] = [one for one in ran.document.notes if one.startswith("Rows of ")]
    assert note.startswith(f"Rows of 1 of {len(sizes)} files are compared: 1 drawn at random (seed 0).")


def test_in_some_files_a_stale_row_is_found(tmp_path: Path, check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    of = translate("mor_late_compaction", tmp_path)
    monkeypatch.setattr("xtable_audit.check.source.MOST", 1)
    monkeypatch.setattr("xtable_audit.check.source.ALONE", 1 << 20)
    found = {seed: check(of, "--seed", seed).document for seed in range(8)}
    stale = {one.finding.registered for document in found.values() for one in document.claims if one.finding}
    assert stale == {"XTF-031"}


def test_where_each_file_is_too_large_no_row_is_compared(
    tmp_path: Path, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MOST", "ALONE"):
        monkeypatch.setattr(f"xtable_audit.check.source.{name}", 1)
    ran = check(translate("delta_plain", tmp_path))
    assert (ran.status, facts(ran).rows) == (0, None)
    assert any("Rows are not compared with the source's: each data file has more" in one for one in ran.document.notes)


def test_some_files_that_delta_rs_does_not_read_alone_are_not_compared(
    tmp_path: Path, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xtable_audit.check.source.MOST", 1)
    ran = check(translate("delta_vectors", tmp_path))
    assert facts(ran).rows is None
    assert any("delta-rs reads such a table as a whole alone" in one for one in ran.document.notes)


@pytest.mark.parametrize(("table", "library"), [("history_upsert", "hudi"), ("delta_plain", "deltalake")])
def test_without_the_library_rows_are_not_compared_and_it_is_named(
    table: str, library: str, tmp_path: Path, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = translate(table, tmp_path)
    monkeypatch.setitem(sys.modules, library, None)
    ran = check(of)
    assert (ran.status, facts(ran).rows) == (0, None)
    assert any('pip install "xtable-audit[rows]"' in note for note in ran.document.notes)


# which state of the source


def test_a_table_that_lags_behind_is_compared_with_the_state_it_has(tmp_path: Path, check: Check) -> None:
    of = translate("delta_z_ordered", tmp_path, commit="0", translated=_of_version_0(tmp_path))
    ran = check(of)
    assert (ran.status, facts(ran).at, facts(ran).newest, facts(ran).later) == (0, "0", "1", 1), ran.out
    assert any("The table lags behind its source by 1 commit" in note for note in ran.document.notes)


def _of_version_0(folder: Path) -> Callable[[list[str]], list[str]]:
    def translated(_: list[str]) -> list[str]:
        log = folder / "delta_z_ordered" / "_delta_log" / f"{0:020}.json"
        actions = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        return [one["add"]["path"] for one in actions if "add" in one]

    return translated


def test_a_live_file_of_a_later_instant_says_more_than_the_property(tmp_path: Path, check: Check) -> None:
    """XTable's last instant may go back (XTF-028)."""
    of = translate("history_upsert", tmp_path)
    of.says(sourceIdentifier="20200101000000000")
    ran = check(of)
    assert (ran.status, facts(ran).at, facts(ran).later) == (0, facts(ran).newest, 0)


def test_a_delta_version_that_the_source_does_not_have_is_inconclusive(tmp_path: Path, check: Check) -> None:
    ran = check(translate("delta_plain", tmp_path, commit="7"))
    assert (ran.status, {outcomes(ran)[id] for id in (*OF_FILES, *OF_ROWS)}) == (6, {Outcome.INCONCLUSIVE})
    assert "the source has no version 7; its newest is 0" in why(ran, "no_file_is_missing")


# what is no source


@pytest.mark.parametrize(
    ("source", "words"),
    {
        "orc:/lake": "names no table; write iceberg:LOCATION or delta:LOCATION or hudi:LOCATION",
        "delta:": "names no table; write iceberg:LOCATION or delta:LOCATION or hudi:LOCATION",
        "hudi:{root}": "XTable made the table from Delta, and the source is named hudi:",
        "delta:{root}/../empty": "no data file of the table is below",
    }.items(),
)
def test_what_is_no_source_is_said_in_a_sentence(source: str, words: str, tmp_path: Path, command: Command) -> None:
    of = translate("delta_plain", tmp_path)
    ran = command("check", of.root, "--source", source.format(root=of.root))
    assert (ran.status, words in ran.err, "Traceback" in ran.err) == (4, True, False), ran.err


def test_a_table_that_xtable_did_not_write_has_no_source(lake: Lake, command: Command) -> None:
    lake.table("orders", orders())
    ran = command("check", lake.root("orders"), "--source", f"delta:{lake.root('orders')}")
    assert (ran.status, "--source is for tables that XTable wrote" in ran.err) == (4, True)


def test_a_folder_without_a_log_is_no_source(tmp_path: Path, command: Command) -> None:
    of = translate("delta_plain", tmp_path)
    (of.root / "_delta_log").rename(tmp_path / "elsewhere")
    ran = command("check", of.root, "--source", of.named)
    assert (ran.status, "is no Delta table" in ran.err) == (4, True)


def test_a_configuration_without_a_source_is_refused(tmp_path: Path, command: Command) -> None:
    ran = command("check", tmp_path, "--config", tmp_path / "xtable.yaml")
    assert (ran.status, "--config goes with --source" in ran.err) == (4, True)
