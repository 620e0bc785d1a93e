"""Has translators translate the recorded tables and judges each translation: `python -m tools translators`.

Without options all of them run, and docs/translators.json and docs/translators.md are written anew. `--only ID,…` runs
some, and keeps what is there of the others. `--tables NAME,…` runs some tables alone, prints what is found, and writes
nothing. `--keep FOLDER` leaves the tables there. `--page` runs nothing: it makes the page from the JSON.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from lab.stack.project import ROOT
from lab.subjects.translator_scores import RESULTS, Score, load, save, with_those
from tools.translators.page import PAGE, with_scores
from tools.translators.run import TRANSLATORS, run, scored, tables_of
from tools.translators.sources_by_targets import with_ways
from tools.translators.translator import MetadataTranslator
from xtable_audit.model.problem import Problem


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools translators", description=__doc__)
    parser.add_argument("--only", metavar="ID,…", type=_list, help=f"of {', '.join(TRANSLATORS)}")
    parser.add_argument("--tables", metavar="NAME,…", type=_list)
    parser.add_argument("--keep", metavar="FOLDER", type=Path)
    parser.add_argument("--page", action="store_true")
    wanted = parser.parse_args(arguments)
    if unknown := {*wanted.only} - {*TRANSLATORS} if wanted.only else None:
        parser.error(f"there is no translator {', '.join(sorted(unknown))}; there are {', '.join(TRANSLATORS)}")
    if not wanted.page:
        scores = [_score(TRANSLATORS[id], wanted.tables, wanted.keep) for id in wanted.only or TRANSLATORS]
        if wanted.tables:
            return
        save(with_those(load(RESULTS), scores, TRANSLATORS), RESULTS)
    page = with_ways(with_scores(PAGE.read_text(encoding="utf-8"), load(RESULTS)))
    PAGE.write_text(page, encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)} is written")


def _list(text: str) -> list[str]:
    return text.split(",")


def _score(translator: MetadataTranslator, names: Sequence[str] | None, keep: Path | None) -> Score:
    tables = [one for one in tables_of(translator) if not names or one.name in names]
    made = []
    with _home(keep and keep / translator.id) as home:
        for one in run(translator, tables, home):
            print(f"{translator.id} {one}", flush=True)
            made.append(one)
    return scored(translator, datetime.now(UTC).date().isoformat(), made)


@contextmanager
def _home(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        keep.mkdir(parents=True)  # what is there already is of another run
        yield keep.absolute()
        return
    with tempfile.TemporaryDirectory(prefix="xtable-audit-translators-") as folder:
        yield Path(folder)


if __name__ == "__main__":
    try:
        main()
    except Problem as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
