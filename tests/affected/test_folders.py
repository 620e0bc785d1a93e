"""`affected` of a folder of Parquet files: what is not read, not configured, or of a release without such a source."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_jobs.battery.folder import write
from spark_jobs.battery.parquet import FOLDERS
from xtable_audit.cli.main import run
from xtable_audit.formats.configuration import Configuration
from xtable_audit.formats.named_source import read_source
from xtable_audit.formats.source import FactAnswer, Lacking
from xtable_audit.model.problem import Problem
from xtable_audit.model.source_fact import ColumnFact, TableFact


def folder(tmp_path: Path, name: str) -> str:
    (tmp_path / name).mkdir()
    stages = write(FOLDERS[f"parquet_{name}"], tmp_path / name)["stages"]
    return f"parquet:{tmp_path / name / str(len(stages))}"


def test_what_depends_on_the_configuration_is_open_without_one(tmp_path: Path) -> None:
    facts = read_source(folder(tmp_path, "in_paths")).facts
    for fact in (TableFact.PATH_ALONE, TableFact.SPEC_AS_VALUE):
        assert (facts[fact].answer, facts[fact].lacks) == (FactAnswer.OPEN, Lacking.CONFIGURATION)


def test_a_column_of_paths_that_files_hold_too_is_not_in_paths_alone(tmp_path: Path) -> None:
    facts = read_source(folder(tmp_path, "in_files"), Configuration()).facts
    assert facts[TableFact.PATH_ALONE].answer is FactAnswer.NO


def test_what_no_footer_shows_is_open_until_all_are_read(tmp_path: Path) -> None:
    named = folder(tmp_path, "plain")
    some, every = (read_source(named, footers=number) for number in (1, 2))
    assert some.facts[TableFact.REPEATED].lacks is Lacking.FOOTERS
    assert every.facts[TableFact.REPEATED].answer is FactAnswer.NO
    column = {one.path: one for one in some.columns}["i"]
    assert column.facts[ColumnFact.NO_NULL_COUNT] is FactAnswer.OPEN


def test_a_folder_without_parquet_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="is no folder of Parquet files"):
        read_source(f"parquet:{tmp_path}")


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        ((), 1, "MEETS  XTF-078"),
        (("--xtable", "0.3.0"), 1, "XTable 0.3.0 has no source of the format parquet; 0.4.0 is the first release"),
        (("--target", "delta"), 1, "MEETS  XTF-078"),
    ],
    ids=["by the newest release", "by one that reads no folders", "as Delta"],
)
def test_the_command_on_a_folder(
    options: tuple[str, ...], status: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["affected", "--source", folder(tmp_path, "append"), *options]) == status
    said = capsys.readouterr()
    assert words in " ".join((said.out + said.err).split()).replace("MEETS XTF", "MEETS  XTF")
