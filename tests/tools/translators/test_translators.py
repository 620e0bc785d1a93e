"""What a translator makes of a table is run, judged and shown as it is, and the lines of docs/translators.md."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from lab.stack.project import ROOT
from lab.stack.versions import other_translators
from lab.subjects.translator_scores import RESULTS, Fault, Made, OtherTranslation, Score, load, save, with_those
from spark_jobs.battery.delta_rs import DELTA_RS_TABLES
from spark_jobs.battery.paimon import PAIMON_TABLES
from spark_jobs.battery.parquet import FOLDERS
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from tools.translators.by_libraries import PYICEBERG
from tools.translators.by_spark_and_xtable import add_files, by_spark
from tools.translators.page import BEGIN, END, PAGE, with_scores
from tools.translators.run import TRANSLATORS, run, scored, tables_of
from tools.translators.sources_by_targets import EFFECTS, effect, ways, with_ways, worst_of_each
from tools.translators.translator import MetadataTranslator, NotTranslated, OwnCopy, Translate, restored
from xtable_audit.claims.translation.history import every_sync_comes_through
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.named_source import read_state
from xtable_audit.model.finding import Verdict


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

DAY = "2026-11-27"
EMPTY = f"{BEGIN}\n{END}\n"


def row(of: str, scores: list[Score]) -> list[str]:
    """The cells of the one line of the page that begins with these words."""
    [line] = [line for line in with_scores(EMPTY, scores).splitlines() if line.startswith(f"| {of} |")]
    return line.strip("| ").split(" | ")[1:]


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made_by(PYICEBERG, tmp_path_factory.mktemp("right"))


@pytest.fixture(scope="module")
def forgetful(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made_by(FORGETFUL, tmp_path_factory.mktemp("forgetful"))


def test_a_right_translation_is_shown_as_right(right: Made) -> None:
    assert (right.faults, right.refused, right.unsure, right.held > 30) == ((), "", (), True)
    score = scored(PYICEBERG, DAY, [right])
    name = f"`add_files` of {PYICEBERG.version.partition(',')[0]}"
    assert row(name, [score]) == ["1", "0", "1", "0", "0", "0", "1"]


def test_a_file_that_is_left_out_is_shown_as_wrong(forgetful: Made, right: Made) -> None:
    """By the source alone, which the judge is given: the metadata has no other fault."""
    assert [(one.claim, one.verdict) for one in forgetful.faults if one.verdict is Verdict.UNSOUND] == [
        ("no_file_is_missing", Verdict.UNSOUND)
    ]
    scores = [scored(FORGETFUL, DAY, [forgetful]), scored(PYICEBERG, DAY, [right])]
    assert row("`parquet_append`", scores) == ["**wrong results**", "right"]


def test_a_refusal_is_shown_in_the_translators_words_without_the_folder_of_the_run(tmp_path: Path) -> None:
    made = made_by(REFUSING, tmp_path)
    assert made == Made("parquet_append", "PARQUET", "parquet_append/a.parquet is `odd`, says FOLDER/log")
    scores = [scored(REFUSING, DAY, [made])]
    assert row("`parquet_append`", scores) == ["refused"]
    assert "* `parquet_append`: `TABLE/a.parquet is 'odd', says FOLDER/log`" in with_scores(EMPTY, scores)


@pytest.mark.parametrize("table", [FOLDERS["parquet_plain"], BATTERY["delta_by_date"], PAIMON_TABLES["paimon_append"]])
def test_a_source_is_compared_in_its_newest_state(table: BatteryTable, tmp_path: Path) -> None:
    [source] = restored([table], tmp_path)
    state = read_state(table.format.lower(), TableFolder.at(str(source.folder)), source.newest, ())
    assert (state.later, len(state.files) > 0) == (0, True)


def test_what_is_saved_is_loaded(forgetful: Made, tmp_path: Path) -> None:
    scores = [scored(FORGETFUL, DAY, [forgetful])]
    save(scores, tmp_path / "scores.json")
    assert load(tmp_path / "scores.json") == scores


NARROW = Fault("bounds_contain_values", Verdict.UNSOUND, ("i",), 1, None)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (Made("t", "DELTA", refused="no"), OtherTranslation.REFUSED),
        (Made("t", "DELTA", faults=(NARROW,)), OtherTranslation.ALIKE),
        (Made("t", "DELTA", faults=(replace(NARROW, claim="bounds_are_tight"),)), OtherTranslation.RIGHT),
        (Made("t", "DELTA", follows=(NARROW.claim,)), OtherTranslation.UNJUDGED),
        (Made("t", "DELTA", unsure=(f"{NARROW.claim}: no luck",)), OtherTranslation.UNJUDGED),
    ],
    ids=["refused", "the same claim", "another claim", "hidden by another claim", "not judged"],
)
def test_a_translator_is_right_in_a_claim_that_was_judged_and_did_not_fail(
    made: Made, expected: OtherTranslation
) -> None:
    assert OtherTranslation.of(made, [NARROW.claim]) is expected


def test_a_fresh_score_replaces_that_of_its_translator_alone() -> None:
    old, other = scored(PYICEBERG, "2026-01-01", ()), scored(REFUSING, "2026-01-01", ())
    fresh = replace(old, on=DAY)
    assert [*with_those([old, other], [fresh], [REFUSING.id, PYICEBERG.id])] == [other, fresh]


def test_the_page_is_what_the_results_give() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_scores(page, load(RESULTS)), "python -m tools translators --page writes it"


def test_the_page_has_every_translator_with_every_table_that_it_takes() -> None:
    there = {one.id: (one.version, [made.table for made in one.made]) for one in load(RESULTS)}
    wanted = {id: (one.version, sorted(table.name for table in tables_of(one))) for id, one in TRANSLATORS.items()}
    assert there == wanted


@pytest.mark.spark
@pytest.mark.slow
def test_spark_makes_of_some_tables_what_the_results_have() -> None:
    """A wrong one, a right one and a refusal."""
    id, tables = (
        by_spark(add_files, other_translators().iceberg).id,
        ("parquet_millis", "parquet_times", "parquet_nulls"),
    )
    kept = {one.table: one for score in load(RESULTS) if score.id == id for one in score.made}
    command = [sys.executable, "-m", "tools", "translators", "--only", id, "--tables", ",".join(tables)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ran.returncode, sorted(ran.stdout.splitlines())) == (0, sorted(f"{id} {kept[one]}" for one in tables))
    assert [kept[one].is_wrong for one in tables] == [True, False, False]


# The lines of docs/translators.md for XTable itself, by source and target.

BOUNDS = "bounds_contain_values"


def test_the_page_has_the_lines_of_today() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_ways(page), "python -m tools translators --page writes it"


def test_a_page_without_a_place_for_them_is_refused() -> None:
    with pytest.raises(ValueError, match="the page lacks the lines"):
        with_ways("# Other translators")


def test_a_way_has_each_table_of_its_source() -> None:
    found = {way: {id.dataset for id in tables} for way, tables in ways().items()}
    assert found["Parquet", "Iceberg"] == FOLDERS.keys()
    assert found["Delta, by delta-rs, read by Spark", "Iceberg"] == DELTA_RS_TABLES.keys()


@pytest.mark.parametrize(
    ("claim", "verdict", "expected"),
    [
        (BOUNDS, Verdict.UNSOUND, "wrong results"),
        (BOUNDS, Verdict.STALE, "wrong results"),
        (BOUNDS, Verdict.UNREADABLE, "cannot be read"),
        (BOUNDS, Verdict.FAILED_SILENTLY, "cannot be read"),
        (every_sync_comes_through.id, Verdict.UNREADABLE, "a later sync fails"),
        (BOUNDS, Verdict.LOOSE, "extra reads at most"),
        (BOUNDS, Verdict.COSMETIC, "right"),
    ],
)
def test_what_a_verdict_is_to_a_reader(claim: str, verdict: Verdict, expected: str) -> None:
    assert effect(claim, verdict) == expected


@pytest.mark.parametrize(
    ("table", "worst"),
    {
        "good_layout-xtable": "right",
        "types_int96_plain-xtable": "extra reads at most",
        "parquet_lists-xtable": "cannot be read",
        "parquet_plain-xtable": "wrong results",
        "iceberg_by_bucket-delta_by_standalone": "extra reads at most",
        "iceberg_unmeasured-delta_by_standalone": "right",  # of XTable's: what is missing, the source lacks
    }.items(),
)
def test_the_worst_effect_of_a_table_counts(table: str, worst: str) -> None:
    assert worst_of_each().get(table, EFFECTS[-1]) == worst
