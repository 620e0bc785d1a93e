"""Translators by PyIceberg that do, leave out or refuse what a test wants, and the tables they are given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from lab.subjects.scoreboard import Made
from spark_jobs.battery.parquet import FOLDERS
from tools.translators.by_pyiceberg import PYICEBERG
from tools.translators.run import run
from tools.translators.sources import OwnCopy
from tools.translators.translator import MetadataTranslator, NotTranslated, Translate


def made_by(translator: MetadataTranslator, home: Path, table: str = "parquet_append") -> Made:
    [made] = run(translator, [FOLDERS[table]], home)
    return made


@contextmanager
def _without_one_file(home: Path) -> Iterator[Translate]:
    with PYICEBERG.opened(home) as translate:

        def translate_some(source: OwnCopy) -> str:
            hidden = sorted(source.folder.rglob("*.parquet"))[-1]
            aside = hidden.rename(hidden.with_suffix(".aside"))
            location = translate(source)
            aside.rename(hidden)
            return location

        yield translate_some


@contextmanager
def _refusing(home: Path) -> Iterator[Translate]:
    def refuse(source: OwnCopy) -> str:
        raise NotTranslated(f"{source.folder}/a.parquet is `odd`, says {home}/log")

    yield refuse


FORGETFUL = replace(PYICEBERG, id="forgetful", words="A forgetful one", opened=_without_one_file)
REFUSING = replace(PYICEBERG, id="refusing", words="A refusing one", opened=_refusing)
