"""A finding of XTable's Delta target: what is synced, checked and replayed, by each of the two writers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet

from lab.provision.checked_register import REGISTER, register
from lab.stack.versions import releases
from tests.tools.reproduce.scripts import module
from tools.reproduce import __main__ as command
from tools.reproduce.finding import headlines, newest_with, options_of, script_for, writer_of
from tools.reproduce.folder import texts
from tools.reproduce.reproduced_json import trials_of
from xtable.writer import ICEBERG, ICEBERG_BY_KERNEL, KERNEL, STANDALONE, WRITERS, Writer
from xtable_audit.register.entry import Entry

MILLIS = next(entry for entry in register(REGISTER) if entry.id == "XTF-004")
SINCE = {ICEBERG.id: "0.2", ICEBERG_BY_KERNEL.id: "0.4", STANDALONE.id: "0.2", KERNEL.id: "0.4"}
PROPERTY = {"xtable.delta.target.use_kernel": "true"}
BOTH = pytest.mark.parametrize("writer", [STANDALONE, KERNEL], ids=["Standalone", "Kernel"])
EACH = pytest.mark.parametrize("writer", [WRITERS[id] for id in SINCE], ids=SINCE)


def seen(writer: Writer) -> Entry:
    """XTF-004 as if this writer alone had it."""
    subject = f"types_millis_index-{writer.id}"
    within = SpecifierSet(f">={SINCE[writer.id]},<0.5")
    where = tuple(replace(one, subjects=(subject,), releases=within) for one in MILLIS.where)
    return replace(MILLIS, reproduce=subject, where=where)


@EACH
def test_its_writer_is_that_of_the_table_it_names(writer: Writer) -> None:
    assert writer_of(seen(writer)) is writer


@EACH
def test_its_headline_is_of_its_own_table(writer: Writer) -> None:
    shown = headlines(seen(writer))
    assert {one.claim for one in shown.values()} == {"bounds_contain_values"}
    assert min(shown).startswith(SINCE[writer.id])


@EACH
def test_it_is_tried_at_the_releases_that_have_it(writer: Writer) -> None:
    assert min(trial.release for trial in trials_of(seen(writer))).startswith(SINCE[writer.id])


def test_the_newest_release_with_it_is_by_its_writer() -> None:
    kernel, iceberg = seen(KERNEL), seen(ICEBERG)
    older = tuple(replace(one, releases=SpecifierSet("<0.4")) for one in iceberg.where)
    assert newest_with(replace(kernel, where=(*older, *kernel.where))).short == "0.4.0"
    assert newest_with(replace(iceberg, where=(*older, *kernel.where))).short == "0.3.0"


@pytest.mark.parametrize(
    ("writer", "script"),
    [
        (ICEBERG, "check.py"),
        (ICEBERG_BY_KERNEL, "check.py"),
        (STANDALONE, "check_delta.py"),
        (KERNEL, "check_delta.py"),
    ],
)
def test_it_is_checked_by_the_script_of_its_target(writer: Writer, script: str) -> None:
    assert script_for(seen(writer)) == script


def fault_of(writer: Writer) -> dict[str, Any]:
    fault: dict[str, Any] = json.loads(texts(seen(writer))["fault.json"])
    return fault


@pytest.mark.parametrize(
    ("writer", "by", "properties"),
    [(STANDALONE, "Delta Standalone", {}), (KERNEL, "Delta Kernel", PROPERTY)],
    ids=["Standalone", "Kernel"],
)
def test_its_fault_says_how_it_is_synced(writer: Writer, by: str, properties: dict[str, str]) -> None:
    fault = fault_of(writer)
    assert (fault["target"], fault["target_by"], fault["target_properties"]) == ("DELTA", by, properties)


@pytest.mark.parametrize("writer", [ICEBERG, ICEBERG_BY_KERNEL])
def test_a_finding_of_the_iceberg_target_names_none(writer: Writer) -> None:
    assert "target" not in "".join(fault_of(writer))


def test_a_finding_of_one_reader_of_delta_says_how_the_table_is_read() -> None:
    assert fault_of(ICEBERG_BY_KERNEL)["by_kernel"] is True
    assert "by_kernel" not in fault_of(ICEBERG)


@pytest.mark.parametrize(("writer", "target"), [(ICEBERG, "ICEBERG"), (STANDALONE, "DELTA")])
def test_the_command_line_is_configured_for_its_target(writer: Writer, target: str) -> None:
    assert json.loads(texts(seen(writer))["config.yaml"])["targetFormats"] == [target]


def test_the_command_line_is_not_configured_for_a_writer_that_it_does_not_reach() -> None:
    for writer, words in {KERNEL: "passes no properties to a target", ICEBERG_BY_KERNEL: "convertersConfig"}.items():
        assert {*texts(seen(writer))} == {"write.py", "fault.json"}
        assert words in texts(seen(writer))["write.py"]


@BOTH
def test_it_is_replayed_from_the_recording_of_its_writer(writer: Writer) -> None:
    options = options_of(seen(writer), releases()[0], "bounds_contain_values")
    name = "kernel" if writer is KERNEL else "standalone"
    assert options[-4:] == [
        "--target=delta",
        f"--delta-target-by={name}",
        "-k",
        f"types_millis_index-delta_by_{name} and bounds_contain_values",
    ]


def test_one_of_the_iceberg_target_is_replayed_as_ever() -> None:
    options = options_of(seen(ICEBERG), releases()[0], "bounds_contain_values")
    assert options[-2:] == ["-k", "types_millis_index-xtable and bounds_contain_values"]
    assert not any("target" in one for one in options)


def test_one_of_a_reader_of_delta_is_replayed_by_that_reader() -> None:
    options = options_of(seen(ICEBERG_BY_KERNEL), releases()[0], "bounds_contain_values")
    assert options[-3:] == [
        "--delta-source-by=kernel",
        "-k",
        "types_millis_index-iceberg_by_kernel and bounds_contain_values",
    ]


def test_a_release_without_kernel_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "find", lambda id: seen(KERNEL))
    monkeypatch.setattr(command, "resolve_battery_jars", lambda tables: [])
    assert command.main(["XTF-004", "--xtable", "0.3.0", f"--folder={tmp_path}"]) == 6
    [sentence] = capsys.readouterr().err.splitlines()
    assert "does not write Delta by Delta Kernel; 0.4.0 is the first that does" in sentence


@pytest.mark.parametrize(("target", "folder"), [("ICEBERG", "metadata"), ("DELTA", "_delta_log")])
def test_recovering_moves_the_metadata_of_its_target_away(
    target: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = object.__new__(module("synced.py")["Synced"])
    table.folder, table.target, table._syncs, table.sync = tmp_path / "t", target, ["an earlier one"], lambda: None
    for each in ("metadata", "_delta_log"):
        (table.folder / each).mkdir(parents=True)
        (table.folder / each / "00.json").touch()
    table._recover()
    assert not (table.folder / folder).exists()
    assert (tmp_path / "metadata.before" / "00.json").exists()
    assert len([*table.folder.iterdir()]) == 1


@pytest.mark.parametrize(
    ("target", "newest"),
    [("ICEBERG", "metadata/v2.metadata.json"), ("DELTA", "_delta_log/00000000000000000010.json")],
)
def test_the_newest_metadata_is_that_of_the_target(
    target: str, newest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = object.__new__(module("synced.py")["Synced"])
    table.folder, table.target = tmp_path, target
    assert table._newest_metadata() is None
    for each in ("metadata/v1.metadata.json", newest, f"_delta_log/{9:020}.json", "_delta_log/_last_checkpoint"):
        (tmp_path / each).parent.mkdir(exist_ok=True)
        (tmp_path / each).write_text('{"current-snapshot-id": 7}', encoding="utf-8")
    assert table._newest_metadata() == str(tmp_path / newest)


@pytest.mark.parametrize("text", ["{}", '{"current-snapshot-id": -1}'], ids=["no key", "minus one"])
def test_a_table_without_a_snapshot_is_none(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """XTable makes the table before it fails at its first commit."""
    monkeypatch.chdir(tmp_path)
    table = object.__new__(module("synced.py")["Synced"])
    table.folder, table.target = tmp_path, "ICEBERG"
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "v1.metadata.json").write_text(text, encoding="utf-8")
    assert table._newest_metadata() is None
