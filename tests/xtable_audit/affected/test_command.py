"""The command: exit statuses, one sentence for bad input, 80 columns, nothing of strangers that a terminal obeys."""

from __future__ import annotations

import json
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from lab.stack.project import ROOT
from tools.pages.affected import recorded_sources
from xtable_audit.affected.affected import affected
from xtable_audit.affected.answer import TargetAnswer, Weighed
from xtable_audit.affected.releases import covered
from xtable_audit.affected.render import rendered
from xtable_audit.cli.main import run as run
from xtable_audit.formats.named_source import read_source
from xtable_audit.formats.source import NO_CONFIG, Lacking
from xtable_audit.model.finding import Verdict
from xtable_audit.register.bundled import bundled_register, path_of_register

MILLIS = "types_millis_plain"


def source(name: str) -> str:
    kind = "delta" if name.startswith("delta") else "hudi"
    return f"{kind}:{recorded_sources() / name}"


@pytest.mark.parametrize(("table", "status"), [("types_ints_plain", 0), (MILLIS, 1), ("v9_native", 1)])
def test_it_is_a_subcommand_too(table: str, status: int) -> None:
    assert run(["affected", "--source", source(table)]) == status


@pytest.mark.parametrize(
    ("table", "options", "status"),
    [
        ("types_ints_plain", [], 0),
        (MILLIS, [], 1),
        ("history_upsert", [], 1),
        ("history_upsert", ["--certain"], 0),
        ("delta_plain", ["--xtable", "main"], 0),
        ("delta_plain", ["--xtable", "main", "--fail-on", "LOOSE"], 1),
        ("v9_native", [], 1),
    ],
)
def test_the_exit_status_says_whether_a_table_is_affected(table: str, options: list[str], status: int) -> None:
    assert run(["affected", "--source", source(table), *options]) == status


def test_a_table_that_may_meet_something_meets_nothing_for_certain(tmp_path: Path) -> None:
    config = configuration(tmp_path, "history_upsert", "part:VALUE")
    assert run(["affected", "--source", source("history_upsert"), "--config", config]) == 1
    assert run(["affected", "--source", source("history_upsert"), "--config", config, "--certain"]) == 0


def configuration(folder: Path, table: str, spec: str) -> str:
    file = folder / "xtable.yaml"
    dataset = f"{{tableBasePath: s3://lake/{table}, tableName: t, partitionSpec: '{spec}'}}"
    file.write_text(f"sourceFormat: HUDI\ntargetFormats: [ICEBERG]\ndatasets: [{dataset}]\n", encoding="utf-8")
    return str(file)


def test_a_finding_comes_with_its_cause_its_remedy_and_its_page(capsys: pytest.CaptureFixture[str]) -> None:
    run(["affected", "--source", source(MILLIS)])
    told = capsys.readouterr().out
    for line in (
        "MEETS  XTF-004  wrong results (UNSOUND)",
        "  because  milliseconds: at",
        "           tried on types_times_plain-xtable",
        "  more     xtable-audit known XTF-004",
    ):
        assert line in told.splitlines()


def test_a_finding_without_a_remedy_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    run(["affected", "--source", source("delta_plain"), "--fail-on", "COSMETIC"])
    assert "  do       no tried remedy" in capsys.readouterr().out.splitlines()


def test_an_upgrade_is_named_where_it_helps(capsys: pytest.CaptureFixture[str]) -> None:
    run(["affected", "--source", source("types_decimal_index"), "--xtable", "0.2"])
    told = capsys.readouterr().out
    assert "  or       upgrade to XTable 0.3.0, which does not have it" in told.splitlines()
    assert "After an upgrade, what an earlier release wrote stays (XTF-060)." in told


@pytest.mark.parametrize("table", [MILLIS, "types_decimal_index", "partition_kolkata_day", "delta_paths", "v9_native"])
def test_a_line_has_80_columns_at_most(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(["affected", "--source", source(table)])
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_what_unread_footers_would_decide_is_said_in_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["affected", "--source", source("types_ints_plain"), "--footers", "1", "--fail-on", "LOOSE"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert "Not ruled out by the footers that were read; --footers 3 reads all:" in told
    assert "  XTF-012  nulls alone: tiny, short, i and 2 more" in told
    assert not [line for line in told if line.startswith("MAY MEET")]


def test_what_has_no_effect_on_readers_is_advice_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["affected", "--source", source("delta_plain")]) == 0
    told = capsys.readouterr().out.splitlines()
    assert "ADVICE meets XTF-063 · no effect on readers: Columns of Delta and Paimon …" in told
    assert told[-1] == "NOT AFFECTED by any known finding of XTable that fails this command."


def test_an_accepted_finding_does_not_fail_it_and_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["affected", "--source", source(MILLIS), "--accept", "XTF-004"]) == 0
    assert "ALLOWED XTF-004 · accepted" in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(("until", "status"), [("2999-01-01", 0), ("2020-01-01", 1)], ids=["counts", "has ended"])
def test_the_ignore_file_counts_until_its_day(
    until: str, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ignore.toml"
    file.write_text(f'[[ignore]]\nfinding = "XTF-004"\nreason = "read by day"\nuntil = {until}\n', encoding="utf-8")
    assert run(["affected", "--source", source(MILLIS), "--ignore", str(file)]) == status
    line = "ignored until 2999-01-01: read by day" if status == 0 else "Ended on 2020-01-01 and counts no more: XTF-004"
    assert line in capsys.readouterr().out


def test_findings_that_hang_on_a_configuration_are_counted_apart(capsys: pytest.CaptureFixture[str]) -> None:
    run(["affected", "--source", source("history_upsert")])
    told = capsys.readouterr().out.splitlines()
    assert told[-1].startswith("AFFECTED: ")
    assert told[-1].endswith("not ruled out.")


@pytest.mark.parametrize(("lacks", "shown"), [(None, True), (Lacking.CONFIGURATION, False), (Lacking.FOOTERS, False)])
def test_what_is_lacking_decides_how_a_finding_is_shown_and_no_words_do(lacks: Lacking | None, shown: bool) -> None:
    table, entries, release = read_source(source(MILLIS)), bundled_register(), covered(path_of_register())[-1]
    [one] = affected(table, release, entries)
    found = [replace(one, because=(NO_CONFIG,), lacks=lacks)]
    weighed = Weighed.of(found, Verdict.COSMETIC, (), (), names=())
    assert ("MEETS  XTF-004" in rendered(table, TargetAnswer(release, found, weighed, ""), entries)) is shown


def test_json_has_the_same_findings(capsys: pytest.CaptureFixture[str]) -> None:
    run(["affected", "--source", source(MILLIS), "--json"])
    [found] = json.loads(capsys.readouterr().out)["findings"]
    assert (found["id"], found["certainty"], found["because"]) == ("XTF-004", "meets", ["milliseconds: at"])


@pytest.mark.parametrize("table", [MILLIS, "delta_plain"])
def test_nothing_is_written(table: str) -> None:
    root = recorded_sources() / table
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    run(["affected", "--source", source(table)])
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before


BAD = {
    "no format": (
        ["--source", "/lake/orders"],
        "names no table; write iceberg:LOCATION or delta:LOCATION or hudi:LOCATION",
    ),
    "another format": (["--source", "lance:/lake/orders"], "names no table"),
    "a folder without snapshots": (["--source", "paimon:/nowhere"], "is no Paimon table"),
    "no location": (["--source", "hudi:"], "names no table"),
    "a folder without a timeline": (
        ["--source", "hudi:/nowhere"],
        "is no Hudi table: it has no .hoodie/hoodie.properties",
    ),
    "a folder without a log": (["--source", "delta:/nowhere"], "is no Delta table"),
    "another store": (["--source", "hudi:ftp://lake/orders"], "neither an s3:// address nor a local path"),
    "an unknown release": (["--source", "hudi:/", "--xtable", "0.9"], "it covers 0.2.0, 0.3.0, 0.4.0 and main"),
    "a release before": (["--source", "hudi:/", "--xtable", "0.2", "--since", "0.3"], "newer than --xtable 0.2.0"),
    "no configuration": (["--source", "hudi:/", "--config", "none.yaml"], "none.yaml cannot be read"),
    "no source": ([], "Missing option '--source'"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_exits_4_with_one_sentence(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    options, said = BAD[what]
    assert run(["affected", *options]) == 4
    assert said in capsys.readouterr().err


def test_a_configuration_of_another_source_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = configuration(tmp_path, "delta_plain", "")
    assert run(["affected", "--source", source("delta_plain"), "--config", config]) == 4
    assert "the configuration has sourceFormat HUDI" in capsys.readouterr().err


def test_a_store_that_does_not_answer_exits_6(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and never listening: every connection is refused
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", f"http://127.0.0.1:{taken.getsockname()[1]}")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
        assert run(["affected", "--source", "hudi:s3://lake/orders"]) == 6


def test_names_of_columns_reach_no_terminal_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "_delta_log"
    log.mkdir()
    fields = [{"name": "\x1b[2J", "type": "byte", "nullable": True, "metadata": {}}]
    schema = json.dumps({"type": "struct", "fields": fields})
    metadata = {"metaData": {"schemaString": schema, "partitionColumns": [], "configuration": {}}}
    (log / f"{0:020}.json").write_text(json.dumps(metadata), encoding="utf-8")
    assert run(["affected", "--source", f"delta:{tmp_path}"]) == 1
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert "byte or short or timestamp_ntz: \\x1b[2J" in told


def test_the_sample_of_the_docs_is_what_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["affected", "--source", source(MILLIS), "--config", configuration(tmp_path, MILLIS, "")])
    assert_documented(capsys.readouterr().out)


def test_the_sample_of_delta_is_what_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = configuration(tmp_path, "partition_special", "p:VALUE")
    run(["affected", "--source", source("partition_special"), "--config", config, "--target", "delta"])
    assert_documented(capsys.readouterr().out)


def assert_documented(answer: str) -> None:
    """The page has it of a table at another address."""
    _, table, findings = answer.partition("Hudi table version")
    assert f"hudi:/lake/orders\n{table}{findings}" in (ROOT / "docs" / "affected.md").read_text(encoding="utf-8")
