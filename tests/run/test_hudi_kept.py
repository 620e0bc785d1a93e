"""Hudi's tables are kept whole, or not taken for kept."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from lab.provision.hudi.kept import CASE, keep, kept
from lab.provision.hudi.recorded import record, recorded
from lab.stack.cache import Cache
from tests.audit.skipping import healthy
from xtable_audit.formats.hudi.indexed_table import HudiCase, HudiStage
from xtable_audit.model.problem import Problem

VERSIONS = {"hudi": "1.0.2"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    keep(tmp_path, healthy.case(), "of this", VERSIONS)
    return tmp_path


@pytest.fixture
def back(folder: Path) -> HudiCase:
    return kept(folder, "live").case


def test_trials_come_back_as_they_were(back: HudiCase) -> None:
    assert back.trials == healthy.case().trials


def comparable(stage: HudiStage, part: str) -> object:
    """A table as text: a NaN in it equals no other."""
    value = getattr(stage, part)
    return (str(value.schema), repr(value.to_pylist())) if isinstance(value, pa.Table) else value


@pytest.mark.parametrize("part", ["words", "indexed", "empty", "beside", "values", "index"])
def test_stages_come_back_as_they_were(back: HudiCase, part: str) -> None:
    assert [comparable(stage, part) for stage in back.stages] == [
        comparable(stage, part) for stage in healthy.case().stages
    ]


def test_versions_come_back_as_they_were(folder: Path) -> None:
    assert kept(folder, "recorded").versions == VERSIONS


@pytest.mark.parametrize("file", [CASE, "1.values.parquet", "2.index.parquet"])
@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(path.read_bytes()[:40])])
def test_half_a_case_is_refused(folder: Path, file: str, damage) -> None:  # type: ignore[no-untyped-def]
    damage(folder / file)
    with pytest.raises(Problem, match=r"does not hold a complete Hudi table .*: delete it and run again"):
        kept(folder, "live")


def test_a_recording_comes_back(tmp_path: Path) -> None:
    tables, archives = tmp_path / "tables", tmp_path / "archives"
    (tables / "skip_x-hudi1.0.2").mkdir(parents=True)
    keep(tables / "skip_x-hudi1.0.2", healthy.case(), "of this", VERSIONS)
    record("1.0.2", tables, archives)
    found = recorded("skip_x-hudi1.0.2", "1.0.2", Cache(tmp_path / "cache"), archives)
    assert kept(found, "recorded").case.trials == healthy.case().trials


def test_a_table_that_was_never_recorded_is_reported(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    record("1.0.2", tmp_path / "tables", tmp_path / "archives")
    with pytest.raises(Problem, match=r"There is no recording of skip_x-hudi1.0.2: `make record` makes one."):
        recorded("skip_x-hudi1.0.2", "1.0.2", Cache(tmp_path / "cache"), tmp_path / "archives")
