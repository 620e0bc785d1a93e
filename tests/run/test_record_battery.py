"""Some tables of the battery recorded alone: the others stay as they are."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from lab.recording.battery import by_way, demand_all_recorded, tables_with, unpack_kept
from lab.stack.versions import releases, stack
from xtable.replay import SUFFIX, pack
from xtable.writer import ways
from xtable_audit.model.problem import Problem


def archive(root: Path, name: str, *, made_with: str | None = None) -> Path:
    folder = root / "unpacked" / name
    of_plain = ("plain/part/x.parquet", "plain.stages.json", "plain.rows.parquet", "plain.earlier/0123")
    for path in (*of_plain, "plainer.stages.json", "plainer.written.json", "plainer.earlier/4567"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)
    written = asdict(stack()) | ({"name": made_with} if made_with else {})
    (folder / "provenance.json").write_text(json.dumps({"stack": written}))
    pack(folder, root / f"{name}{SUFFIX}")
    return root / f"{name}{SUFFIX}"


def test_the_tables_that_are_kept_are_unpacked_and_no_other(tmp_path: Path) -> None:
    unpack_kept(archive(tmp_path, "sources"), tmp_path / "found", ["plainer"])
    found = {path.name for path in (tmp_path / "found").iterdir()}
    assert found == {"plainer.stages.json", "plainer.written.json", "plainer.earlier", "provenance.json"}
    assert tables_with(tmp_path / "found", "stages.json") == ["plainer"]


def test_a_recording_of_another_stack_takes_no_more_tables(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="recorded with the stack older: record the whole battery"):
        unpack_kept(archive(tmp_path, "sources", made_with="older"), tmp_path / "found", ["plainer"])


def test_tables_are_recorded_for_every_recorded_release(tmp_path: Path) -> None:
    one, other, *_ = releases()
    for name in ("sources", *(way.name for way in ways([one, other]))):
        archive(tmp_path, name)
    demand_all_recorded([one, other], tmp_path)
    with pytest.raises(Problem, match="recorded for all releases at once"):
        demand_all_recorded([one], tmp_path)


def test_a_table_whose_times_no_store_gives_is_recorded_over_a_mount() -> None:
    ways_of = by_way(["delta_plain", "edge_delta_same_second", "edge_delta_one_second"], "store")
    assert ways_of == {"store": ["delta_plain", "edge_delta_one_second"], "mount": ["edge_delta_same_second"]}
