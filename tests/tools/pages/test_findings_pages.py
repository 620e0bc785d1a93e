"""docs/findings: as `make findings` would make it, and nothing there in vain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from fnmatch import fnmatchcase
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet

from lab.engines.readers import READERS
from lab.provision.catalogue import Catalogue
from lab.provision.checked_register import REGISTER, register, short_id
from lab.provision.plan import SMALL_TABLES, Plan
from spark_jobs.battery.parquet import FOLDERS
from tests.of_each import of_each
from tests.whole_runs.run import Audit
from tests.xtable_audit.report.runs import claim, document
from tools.pages.code_read import faults, table
from tools.pages.findings import CODE, PAGES, evidence_files, left_over, pages, recorded
from tools.pages.table_in_words import in_words
from xtable_audit.claims.readers.pruning import no_matching_file_is_dropped
from xtable_audit.model.finding import Answers, Blame
from xtable_audit.model.result import ClaimResult
from xtable_audit.model.rules import ICEBERG, SECTIONS
from xtable_audit.planning.planners import planners
from xtable_audit.register.code import Code
from xtable_audit.register.entry import Entry, Kind, Where, overlap
from xtable_audit.register.register import covers
from xtable_audit.report.finding_evidence import Evidence, evidence_of, from_json, to_json
from xtable_audit.report.pages import index, page, verdict_of
from xtable_audit.report.release_states import registered

ENTRIES = register(REGISTER)
OF_XTABLE = [entry for entry in ENTRIES if "xtable" in entry.components]
OF_HUDI = [entry for entry in ENTRIES if "hudi" in entry.components]
OF_CODE = [entry for entry in ENTRIES if {"xtable", "hudi"} & {*entry.components}]
LIMITS = [entry for entry in OF_XTABLE if any(where.kind is Kind.LIMIT for where in entry.where)]
MEND = "run `make findings`, and commit docs/findings"


@cache
def kept() -> Mapping[str, Evidence]:
    """The committed evidence, by finding, read once."""
    return recorded(ENTRIES)


@cache
def wanted() -> dict[str, str]:
    return {**pages(ENTRIES, kept()), **evidence_files(ENTRIES, kept())}


def test_no_page_is_missing() -> None:
    assert not [name for name in wanted() if not (PAGES / name).is_file()], MEND


def test_every_page_is_as_it_would_be_made() -> None:
    there = [name for name in wanted() if (PAGES / name).is_file()]
    assert not [name for name in there if (PAGES / name).read_text(encoding="utf-8") != wanted()[name]], MEND


@of_each("entry", ENTRIES, ids=lambda entry: entry.id)
def test_every_entry_has_its_page(entry: Entry) -> None:
    """Its evidence is of a run: `make findings ARGS=out/latest/audit.json` records it."""
    assert f"{entry.id}.md" in wanted()


def test_the_index_names_whose_bug_each_finding_is_as_reports_do() -> None:
    rows = [line.strip("| ").split(" | ") for line in wanted()["README.md"].splitlines() if line.startswith("| [XTF-")]
    said = {row[0][1:8]: row[-1] for row in rows}
    assert said == {id: one.owner for id, one in registered(ENTRIES, covers(REGISTER)).items()}


EVERY_TABLE = Catalogue(Plan())
EVERY_TARGET = ("--target=all", "--delta-target-by=all", "--standalone-tables=all")


def test_no_page_is_left_of_an_entry_that_is_gone() -> None:
    assert left_over(wanted()) == [], MEND


@pytest.fixture(scope="module")
def collected(audit: Audit) -> list[tuple[str, dict[str, str]]]:
    """The claim and the parameters of every test of the suites, with all readers, targets and sources."""
    return [
        *_collected(audit, "--readers=all", *EVERY_TARGET),
        *_collected(audit, "--source-format=parquet", *EVERY_TARGET),
        *_collected(audit, "--source-format=paimon"),
        *_collected(
            audit, "--source-format=paimon", "--target=delta", "--delta-target-by=all", "--standalone-tables=all"
        ),
        *_collected(audit, "--readers=all", "--delta-source-by=kernel"),
        *_collected(audit, "--source-format=delta_rs"),
        *_collected(audit, "--source-format=delta_rs", "--delta-source-by=kernel"),
        *_collected(
            audit, "--source-format=iceberg", "--target=delta", "--delta-target-by=all", "--standalone-tables=all"
        ),
        *_collected(audit, "--readers=all", "--target=hudi"),
        *_collected(audit, "--readers=all", "--target=hudi", "--source-format=delta_rs"),
        *_collected(audit, "--readers=all", "--target=hudi", "--source-format=paimon"),
        *_collected(audit, "--readers=all", "--target=hudi", "--source-format=iceberg"),
        *_collected(audit, "--target=hudi", "--source-format=parquet"),
    ]


Tests = Mapping[str, Mapping[str, list[dict[str, str]]]]


@pytest.fixture(scope="module")
def by_table(collected: list[tuple[str, dict[str, str]]]) -> Tests:
    """The parameters of each table's tests, by claim: the tests are 56,000, and each entry names a few tables."""
    found: dict[str, dict[str, list[dict[str, str]]]] = {}
    for id, params in collected:
        found.setdefault(params.get("table", ""), {}).setdefault(id, []).append(params)
    return found


def _collected(audit: Audit, *options: str) -> Iterator[tuple[str, dict[str, str]]]:
    ran = audit("--collect-only", "-q", *options, recorded=False)
    items = [line.removesuffix("]").partition("[") for line in ran.text.splitlines() if line.startswith("suites/")]
    assert items, ran.text
    for test, _, params in items:
        yield short_id(test), _params(short_id(test), params)


def _params(claim: str, params: str) -> dict[str, str]:
    parts = params.split("-")
    tables = [
        id for size in (2, 1) for id in ("-".join(parts[n : n + size]) for n in range(len(parts))) if id in EVERY_TABLE
    ]
    kind, known = ("planner", planners()) if claim == no_matching_file_is_dropped.id else ("reader", tuple(READERS))
    by = next((word for word in parts if word in known), None)
    rest = params.replace(tables[0] if tables else "", "", 1).replace(by or "", "", 1).strip("-")
    found = {"table": tables[0] if tables else None, kind: by, "question": rest}
    return {name: value for name, value in found.items() if value}


@of_each("entry", ENTRIES, ids=lambda entry: entry.id)
def test_nothing_is_registered_in_vain(entry: Entry, by_table: Tests) -> None:
    """Each claim, subject, reader and question of an entry is that of a test it is held to."""
    for where in entry.where:
        tests = [
            (claim, params)
            for table, claim in product(where.subjects, where.claims)
            for params in by_table.get(table, {}).get(claim, ())
        ]
        held = [(claim, params) for claim, params in tests if where.concerns(claim, params)]
        named = [*where.claims, *where.subjects, *where.readers, *where.questions]
        used = {word for claim, params in held for word in (claim, *params.values())}
        assert [word for word in named if word not in used] == []


PROOFS = [(entry, table) for entry in ENTRIES for table in entry.proven_by]
PROOF_IDS = [f"{entry.id}-{table}" for entry, table in PROOFS]


@of_each(("entry", "proof"), PROOFS, ids=PROOF_IDS)
def test_the_claims_of_an_entry_run_on_a_table_that_proves_its_remedy(
    entry: Entry, proof: str, by_table: Tests
) -> None:
    """A claim that does not run proves nothing; claims about two tables run on few."""
    worst = verdict_of(entry)
    assert by_table.get(proof, {}).keys() & {
        claim for where in entry.where if where.verdict is worst for claim in where.claims
    }


HELD = [(entry, claim) for entry in ENTRIES for claim in entry.held_by]
HELD_IDS = [f"{entry.id}-{claim}" for entry, claim in HELD]


@of_each(("entry", "held"), HELD, ids=HELD_IDS)
def test_a_claim_that_proves_a_remedy_runs_on_the_tables_of_the_finding(
    entry: Entry, held: str, by_table: Tests
) -> None:
    worst = verdict_of(entry)
    hit = {table for where in entry.where if where.verdict is worst for table in where.subjects}
    assert not [table for table in hit if held not in by_table.get(table, {})]


def failing(entry: Entry, held: str) -> list[str]:
    """Entries by which the claim fails on a table of the finding."""
    return [
        other.id
        for other in ENTRIES
        for where in other.where
        if held in where.claims and {*where.subjects} & {*entry.subjects}
    ]


@of_each(("entry", "held"), HELD, ids=HELD_IDS)
def test_a_claim_that_proves_a_remedy_holds_there(entry: Entry, held: str) -> None:
    assert failing(entry, held) == []


def test_a_claim_of_the_finding_itself_proves_no_remedy() -> None:
    entry, _ = HELD[0]
    assert entry.id in failing(entry, entry.where[0].claims[0])


def disproofs(entry: Entry, proof: str) -> Iterator[str]:
    """What is registered on a table that proves the entry's remedy: its claims, at its releases, in its columns.

    What an upgrade in place alone shows is left out: the proof is of metadata that one release wrote. Each of Hudi's
    own tables is of one release, which may be another than the entry's: the remedy is then that release.
    """
    of_release = EVERY_TABLE[proof].versions.get("hudi")
    for mine, other in product(entry.where, ENTRIES):
        for theirs in other.where:
            if (
                theirs.upgrade_from is None
                and theirs.component == mine.component
                and proof in theirs.subjects
                and set(mine.claims) & set(theirs.claims)
                and (theirs.covers(of_release) if of_release else overlap(mine.releases, theirs.releases))
                and not _apart(mine, theirs)
            ):
                yield f"{other.id}: {theirs.verdict} {theirs.claims}"


def _apart(one: Where, other: Where) -> bool:
    """Whether they are about other columns; of patterns it is enough that one could name what the other does."""
    return bool(one.columns and other.columns) and not any(
        fnmatchcase(mine, theirs) or fnmatchcase(theirs, mine) for mine, theirs in product(one.columns, other.columns)
    )


@of_each(("entry", "proof"), PROOFS, ids=PROOF_IDS)
def test_a_remedy_is_proven(entry: Entry, proof: str) -> None:
    """No entry breaks the claims on a table on which the remedy is applied, at the entry's releases."""
    assert list(disproofs(entry, proof)) == []


def test_a_remedy_that_its_own_entry_breaks_is_not_proven() -> None:
    entry, _ = PROOFS[0]
    assert any(disproof.startswith(f"{entry.id}: ") for disproof in disproofs(entry, entry.subjects[0]))


@of_each("entry", ENTRIES, ids=lambda entry: entry.id)
def test_columns_are_those_that_runs_have_shown(entry: Entry) -> None:
    """Each finding of the evidence is described by a block that names its columns."""
    shown = kept()[entry.id].examples
    for found in shown:
        named = found.columns
        alike = [one for one in entry.where if one.verdict is found.verdict and found.table in one.subjects]
        assert any(one.columns and one.names(named) for one in alike) or not named, found.again


def test_every_dataset_can_be_described() -> None:
    """Rows, options and configuration, on less than a page and a half of a tracker."""
    texts = {dataset: in_words(dataset) for dataset in SMALL_TABLES}
    assert not [dataset for dataset, text in texts.items() if len(text) >= 12_000]
    assert {dataset for dataset, text in texts.items() if "sourceFormat" not in text} == {*FOLDERS}


ENTRY = replace(ENTRIES[2], id="XTF-010", reproduce="types_nan_plain-xtable")
BEST = "types_nan_plain-xtable"
RULE = "Iceberg spec, Manifests: lower_bounds"


def seen(*claims: ClaimResult) -> Evidence | None:
    return evidence_of(ENTRY, [document(*claims)])


def shown(table: str = BEST, **changed: Any) -> ClaimResult:
    return claim("known", table, registered="XTF-010", **changed)


def test_evidence_is_of_the_entrys_own_reproduction() -> None:
    found = seen(shown("a_a-xtable"), shown(BEST, rows=12), shown("b_b-xtable"))
    assert found is not None
    assert [one.table for one in found.examples] == [BEST]


def test_each_claim_and_reader_has_an_example() -> None:
    other = {"claim": "another claim", "verdict": "COSMETIC"}
    read = "suites/selection/test_readers.py::test_rows"
    found = seen(shown(), shown("a_a-xtable", test="x", **other), shown(reader="duckdb", test=read))
    assert found is not None
    assert len(found.examples) == 3


def test_findings_of_other_entries_are_no_evidence() -> None:
    assert seen(claim("known", registered="XTF-011"), claim("finding"), claim()) is None


def test_evidence_is_kept_as_it_was_found() -> None:
    found = seen(shown())
    assert found is not None
    assert from_json(to_json({ENTRY.id: found})) == {ENTRY.id: found}


WRONG = Answers(BEST, "d = 5.0", 1, {"duckdb": 0, "polars": 1, "daft": "carries no parquet field IDs", "trino": None})
RIGHT = replace(WRONG, predicate="d = 2.0", readers={"duckdb": 1})


def page_text() -> str:
    found = seen(shown(answers=WRONG), shown(test="x", answers=RIGHT))
    assert found is not None
    return page(ENTRY, found, {"xtable": ["0.3.0-incubating"]}, in_words("types_nan_plain"), RULE)


def test_page_shows_what_readers_answer_beside_the_actual_rows() -> None:
    assert "| `d = 5.0` | 1 | refuses | **0** | 1 |" in page_text()


def test_right_answers_are_no_evidence() -> None:
    assert "d = 2.0" not in page_text()


def test_what_readers_answer_of_the_table_is_no_evidence_against_one_of_them() -> None:
    """The table may have another fault, which they show."""
    found = seen(shown(answers=WRONG, blame=str(Blame.reader("duckdb")), reader="duckdb"))
    assert found is not None
    assert found.answers == ()


HEADINGS = ("## What happens", "## Smallest reproduction", "## Evidence", "## Impact")
ROWS = ("verdict", "kind", "rule", "cause", "state", "met by", "threads", "workaround", "fault", "seen with")
PARTS = [*HEADINGS, *(f"| {row} |" for row in ROWS)]


@of_each("row", ROWS)
def test_every_page_has_the_row(row: str) -> None:
    filled = re.compile(rf"^\| {row} \| .*\w.* \|$", re.M)
    assert not [entry.id for entry in ENTRIES if not filled.search(wanted()[f"{entry.id}.md"])]


@of_each("entry", OF_CODE, ids=lambda entry: entry.id)
def test_every_page_names_the_code_at_fault(entry: Entry) -> None:
    assert entry.read.code
    assert "## Where in the code" in wanted()[f"{entry.id}.md"]


@of_each("entry", OF_XTABLE, ids=lambda entry: entry.id)
def test_every_page_of_xtable_says_what_main_does(entry: Entry) -> None:
    assert entry.read.main is not None
    assert f"XTable's main: {entry.read.main.state}." in wanted()[f"{entry.id}.md"]


@of_each("entry", OF_HUDI, ids=lambda entry: entry.id)
def test_every_page_of_hudi_says_what_its_main_does(entry: Entry) -> None:
    assert entry.read.hudi_main is not None
    assert f"Hudi's main: {entry.read.hudi_main.state}." in wanted()[f"{entry.id}.md"]


@of_each("entry", ENTRIES, ids=lambda entry: entry.id)
def test_every_thread_is_linked_with_what_it_is(entry: Entry) -> None:
    [row] = [line for line in wanted()[f"{entry.id}.md"].splitlines() if line.startswith("| threads | ")]
    for thread in entry.threads:
        assert f"{thread.tie.replace('_', ' ')}: [{thread.name}]({thread.address})" in row
    assert bool(entry.threads) != ("none found" in row)


@of_each("entry", LIMITS, ids=lambda entry: entry.id)
def test_a_documented_limit_is_quoted_with_a_link(entry: Entry) -> None:
    assert "https://xtable.apache.org/docs/" in wanted()[f"{entry.id}.md"]


@of_each(("entry", "proof"), PROOFS, ids=PROOF_IDS)
def test_page_shows_the_table_that_proves_its_workaround(entry: Entry, proof: str) -> None:
    anchor = proof.replace(".", "")
    assert f"(#{anchor})" in wanted()[f"{entry.id}.md"]
    assert f"### {proof}\n" in wanted()[f"{entry.id}.md"]


@of_each("id", [id for entry in ENTRIES for id in entry.formerly])
def test_a_retired_id_is_in_the_index(id: str) -> None:
    assert f"{id} is part of XTF-" in wanted()["README.md"]


def unread_anchors(text: str) -> set[str]:
    """Links into a specification, in Markdown, to a section that is not among those that were read."""
    specifications = "|".join(re.escape(page) for page in {link.partition("#")[0] for link in SECTIONS.values()})
    return {*re.findall(rf"\(((?:{specifications})#[^)]*)\)", text)} - {*SECTIONS.values()}


def test_an_anchor_of_a_specification_is_one_that_was_read() -> None:
    assert not {name: unread for name, text in wanted().items() if (unread := unread_anchors(text))}


def test_an_anchor_that_was_not_read_is_found() -> None:
    assert unread_anchors(f"[a]({ICEBERG}#manifests) [b]({ICEBERG}#bounds)") == {f"{ICEBERG}#bounds"}


def test_the_places_that_were_read_are_those_of_the_register() -> None:
    text = (PAGES / CODE).read_text(encoding="utf-8")
    read = date.fromisoformat(re.findall(r"Looked up on (\S+):", text)[0])
    assert text == "\n".join(table(ENTRIES, read)), "run `python -m tools pages.code_read`"


SOURCE = "class A {\n  int min() {\n    return genericGetMin();\n"
PLACES = {
    "right": ({"v1": 3}, "A.min", []),
    "another line": ({"v1": 2}, "A.min", ["does not have 'genericGetMin'"]),
    "past the end": ({"v1": 9}, "A.min", ["does not have 'genericGetMin'"]),
    "another method": ({"v1": 3}, "A.max", ["is not below 'max'"]),
    "another tag": ({"v2": 3}, "A.min", ["is not there"]),
}


@pytest.mark.parametrize(("lines", "method", "wrong"), PLACES.values(), ids=PLACES.keys())
def test_a_place_is_looked_up(tmp_path: Path, lines: dict[str, int], method: str, wrong: list[str]) -> None:
    source = tmp_path / "o/n" / "v1" / "A.java"
    source.parent.mkdir(parents=True)
    source.write_text(SOURCE)
    found = [*faults(Code("o/n/A.java", method, "genericGetMin", lines, "Wrong."), tmp_path)]
    assert [words in fault for words, fault in zip(wrong, found, strict=True)] == [True for _ in wrong]


@pytest.mark.parametrize("part", PARTS)
def test_page_has_every_part(part: str) -> None:
    assert part in page_text()


def test_log_of_the_sync_is_kept_to_its_end() -> None:
    found = seen(shown(log="\n".join(f"line {number}" for number in range(99))))
    assert found is not None
    assert (found.best.log.splitlines()[-1], len(found.best.log.splitlines())) == ("line 98", 12)


def test_page_says_that_it_takes_an_upgrade_in_place() -> None:
    found = seen(shown())
    assert found is not None
    after = replace(ENTRY.where[0], upgrade_from=SpecifierSet(">=0.2,<0.3"))
    made = page(
        replace(ENTRY, where=(after,)), found, {"xtable": ["0.4.0-incubating"]}, in_words("types_nan_plain"), RULE
    )
    assert "after an upgrade in place from >=0.2,<0.3" in made


def test_index_names_every_entry() -> None:
    assert all(f"[{entry.id}]({entry.id}.md)" in index(ENTRIES, {}) for entry in ENTRIES)
