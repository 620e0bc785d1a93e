"""audit.json: read back as it was written, refused where it is not, and held by its schema as by its reader."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.of_each import of_each
from tests.xtable_audit.report.runs import claim, document
from xtable_audit.cli.main import run
from xtable_audit.model.finding import Answers, Blame, Verdict
from xtable_audit.model.outcome import Cause, Outcome
from xtable_audit.model.result import ClaimResult, Owner
from xtable_audit.planning.planners import planners
from xtable_audit.report.document import (
    SCHEMA_VERSION,
    Document,
    KnownRelease,
    LayerRow,
    MainBranch,
    Reading,
    Registered,
    SelectionRow,
    SetAsideRow,
    Step,
    TightnessRow,
    TrialRow,
    UnreadableDocument,
)
from xtable_audit.report.document_json import OLDER, schema
from xtable_audit.report.scorecard import print_scorecard

FILE = Path(__file__).parents[3] / "audit.schema.json"
SCHEMA = json.loads(FILE.read_text(encoding="utf-8"))
ANSWERS = Answers("types_nan-xtable", "d = 5.0", 1, {"duckdb": 0, "polars": 1, "daft": "no field ids", "trino": None})
READERS = {"duckdb": Reading(None, 3, 3, 3), "daft": Reading(None, None, None, None, refused=True)}
WHOLE = replace(
    document(*(claim(outcome, test=f"suites/x.py::test_{outcome}") for outcome in Outcome), claim("finding")),
    steps=(Step("datasets", "good_layout written", 9.1, ok=True), Step("reader", "trino", 0.0, ok=False)),
    selections=(SelectionRow("v6_index-xtable", "live", "zip", "zip = '1'", 8, 3, 3, 12, 3, 32, READERS),),
    tightness=(TightnessRow("t", "a", 0.5, 1, 0.5), TightnessRow("t", "b", 0.0, 0.0, None)),
    trials=(TrialRow("t", "judge", 100, 3, {"NaN": 2}),),
    layers=(LayerRow("ship-hudi1.2.0", "live", "zip = '1'", "on", 983, 48, None, 49, 48, 48, 0.5),),
    set_aside=(
        SetAsideRow("t", "v", None, "values of type variant are not judged"),
        SetAsideRow("t", None, "s3://b/t/1.orc", "files of format ORC are not read"),
    ),
    register={
        "XTF-003": Registered(
            "NaN in a float or double column makes its bounds 0.0",
            "xtable",
            Owner.XTABLE,
            "everyday",
            states={"0.2.0": None, "0.3.0": Verdict.UNSOUND, "main": Verdict.UNSOUND},
            ran_on_main=True,
        )
    },
    releases={"xtable": (KnownRelease("0.2.0", "2024-07-04"), KnownRelease("0.3.0", "2025-05-10"))},
    main=MainBranch("54b58df", "2026-11-23"),
    hudi_main=MainBranch("65cf7e8", "2026-11-24"),
)
ANSWERED = replace(WHOLE, claims=(claim("known", registered="XTF-003", answers=ANSWERS, reader="duckdb"),))
FAILED = [*Outcome].index(Outcome.ERROR)
"""The place of the claim that is an error of the suite."""
DOCUMENTS = {
    "of every part": WHOLE,
    "of answers": ANSWERED,
    "of no claim": document(),
    "of an upgrade in place": document(claim(), upgrade_from="0.3.0-incubating"),
    "of a recording": document(claim(), mode="recorded"),
    "of a run cut short": replace(WHOLE, complete=False),
    "of a table that is refused": document(claim("not_applicable", cause=Cause.REFUSED)),
    "of a reader's fault": document(claim("finding", blame=Blame.reader("daft"))),
}


@pytest.mark.parametrize("written", DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_a_document_is_read_back_as_it_was_written(written: Document) -> None:
    assert Document.from_json(written.to_json()) == written


@given(st.text())
def test_any_words_are_read_back_as_they_were_written(words: str) -> None:
    written = document(claim("finding", saw=words), claim("error", reason=words))
    assert Document.from_json(written.to_json()) == written


@pytest.mark.parametrize("written", DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_a_document_keeps_the_schema(written: Document) -> None:
    checker = jsonschema.FormatChecker()
    jsonschema.Draft202012Validator(SCHEMA, format_checker=checker).validate(json.loads(written.to_json()))


def test_the_schema_is_made_from_the_types() -> None:
    assert schema() == SCHEMA, "run `python -m xtable_audit schema > audit.schema.json`, and commit it"


@pytest.mark.parametrize("written", DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_the_scorecard_of_a_document_that_is_read_again_is_the_same(written: Document, tmp_path: Path) -> None:
    assert printed(Document.from_json(written.to_json()), tmp_path) == printed(written, tmp_path)


def printed(written: Document, folder: Path) -> str:
    with (folder / "card.txt").open("w") as file:
        print_scorecard(Console(file=file, width=100), written)
    return (folder / "card.txt").read_text()


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_number_that_json_lacks_is_not_written(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        replace(WHOLE, tightness=(TightnessRow("t", "a", number, 1, None),)).to_json()


@pytest.mark.parametrize("older", OLDER)
def test_a_document_of_a_schema_before_is_read_without_what_it_lacks(older: int) -> None:
    """Whose bug a finding is follows from what errs; of Hudi's main it does not speak."""
    raw = json.loads(WHOLE.to_json()) | {"schema_version": older}
    del raw["hudi_main"], raw["source_recorded_on"], raw["translation_recorded_on"]
    for one in raw["register"].values():
        del one["owner"], one["recovers"]
    for one in raw["claims"]:
        del one["cause"]
    assert Document.from_json(json.dumps(raw)) == replace(WHOLE, hudi_main=None)


IN_WORDS: dict[str, tuple[ClaimResult, Cause | None]] = {
    "a source that does not show it": (
        claim("inconclusive", reason="not compared with the source: it has no such file"),
        Cause.NOT_COMPARED,
    ),
    "a table that is refused": (
        claim("not_applicable", reason="XTable refuses the table, as it must; a claim of its own checks how"),
        Cause.REFUSED,
    ),
    "a finding of another test": (claim("finding", again='pytest -k "another"'), Cause.FOLLOWS),
    "its own finding": (claim("known"), None),
    "another reason": (claim("inconclusive", reason="inconclusive: no request log"), None),
    "the same words of another outcome": (claim("error", reason="not compared with the source: a bug"), None),
}


@pytest.mark.parametrize(("one", "cause"), IN_WORDS.values(), ids=IN_WORDS)
def test_a_document_of_a_schema_before_has_causes_in_words(one: ClaimResult, cause: Cause | None) -> None:
    """As its schema worded them, whatever the suite's words are today."""
    raw = json.loads(document(one).to_json()) | {"schema_version": 16}
    del raw["claims"][0]["cause"]
    [read] = Document.from_json(json.dumps(raw)).claims
    assert (read.reason, read.cause) == (one.reason, cause)


@pytest.mark.parametrize("register", [None, [], {"XTF-003": 7}], ids=["none", "a list", "a number"])
def test_a_damaged_document_of_the_schema_before_is_refused(register: Any) -> None:
    raw = json.loads(WHOLE.to_json()) | {"schema_version": OLDER[0], "register": register}
    with pytest.raises(UnreadableDocument, match=r"This audit\.json is damaged: register"):
        Document.from_json(json.dumps(raw))


# what is no audit.json

Place = tuple[str | int, ...]


def put(value: Any, *place: str | int) -> Callable[[Any], None]:
    def change(raw: Any) -> None:
        *above, last = place
        for key in above:
            raw = raw[key]
        raw[last] = value

    return change


def drop(*place: str | int) -> Callable[[Any], None]:
    def change(raw: Any) -> None:
        *above, last = place
        for key in above:
            raw = raw[key]
        del raw[last]

    return change


HELD, FOUND = 0, 1
"""Places of claims in WHOLE."""
FAULTS: dict[str, tuple[Callable[[Any], None], str]] = {
    "an unknown key": (put(1, "more"), "more: Unexpected keyword argument"),
    "an unknown key of a claim": (put(1, "claims", HELD, "more"), "claims.0.more: Unexpected keyword argument"),
    "an unknown key of an impact": (put(1, "claims", FOUND, "finding", "impact", "more"), "finding.impact.more"),
    "no steps": (drop("steps"), "steps: Field required"),
    "no complete, which has a default": (drop("complete"), "complete is absent"),
    "no reason, which has a default": (drop("claims", HELD, "reason"), "claims.0.reason is absent"),
    "no log, which has a default": (drop("claims", FOUND, "finding", "log"), "claims.1.finding.log is absent"),
    "no verdict": (drop("verdict"), "verdict is absent"),
    "a text for a number": (put("1", "run", "seconds"), "run.seconds: Input should be a valid number"),
    "a number for a truth": (put(1, "complete"), "complete: Input should be a valid boolean"),
    "a fraction for a count": (put(0.5, "selections", 0, "live"), "selections.0.live: Input should be a valid integer"),
    "a negative count": (put(-1, "selections", 0, "live"), "selections.0.live: Input should be greater than or equal"),
    "a share above 1": (put(2, "tightness", 0, "ideal"), "tightness.0.ideal: Input should be less than or equal to 1"),
    "an unknown outcome": (put("hold", "claims", HELD, "outcome"), "claims.0.outcome: Input should be 'held'"),
    "an unknown verdict": (put("BAD", "claims", FOUND, "finding", "verdict"), "finding.verdict: Input should be 'UNS"),
    "an unknown blame": (put("reader", "claims", FOUND, "finding", "blame"), "finding.blame: String should match"),
    "an unknown mode": (put("replayed", "translation", "mode"), "translation.mode: Input should be 'live'"),
    "an unknown planner": (put("trino", "trials", 0, "planner"), "trials.0.planner: Input should be 'judge'"),
    "no moment": (put("yesterday", "run", "started"), "run.started: Input should be a valid datetime"),
    "a finding that holds": (put("held", "claims", FOUND, "outcome"), "the outcome held has a finding"),
    "a finding that is not there": (put(None, "claims", FOUND, "finding"), "the outcome finding has no finding"),
    "an error without a reason": (
        put(None, "claims", FAILED, "reason"),
        "the outcome error has no reason",
    ),
    "another schema": (
        put(6, "schema_version"),
        f"has schema_version 6, not {SCHEMA_VERSION}. Read it with the version of the suite",
    ),
}


def damaged(change: Callable[[Any], None]) -> str:
    raw = json.loads(WHOLE.to_json())
    change(raw)
    return json.dumps(raw)


@of_each(("change", "words"), FAULTS.values(), ids=FAULTS.keys())
def test_what_is_damaged_is_refused_in_one_line_that_names_it(change: Callable[[Any], None], words: str) -> None:
    with pytest.raises(UnreadableDocument) as refusal:
        Document.from_json(damaged(change))
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


@of_each("change", [change for change, _ in FAULTS.values()], ids=FAULTS.keys())
def test_what_the_reader_refuses_breaks_the_schema(change: Callable[[Any], None]) -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker(["date-time"]))
    assert not validator.is_valid(json.loads(damaged(change)))


FALSE = {
    "verdict": put("CONFORMANT", "verdict"),
    "counts": put(7, "counts", "held"),
    "answers": put([], "answers"),
}


@pytest.mark.parametrize(("part", "change"), FALSE.items(), ids=FALSE.keys())
def test_what_does_not_follow_from_the_claims_is_refused(part: str, change: Callable[[Any], None]) -> None:
    """A schema alone cannot check it."""
    raw = json.loads(replace(WHOLE, claims=WHOLE.claims + ANSWERED.claims).to_json())
    change(raw)
    with pytest.raises(UnreadableDocument, match=f"{part} does not follow from its claims"):
        Document.from_json(json.dumps(raw))


OTHERS = {
    "nothing": ("", "This is no JSON (Expecting value"),
    "a text that is cut off": (WHOLE.to_json()[:999], "This is no JSON ("),
    "a list": ("[]", "This is no audit.json, it has no schema_version"),
    "another object": ("{}", "This is no audit.json, it has no schema_version"),
}


@pytest.mark.parametrize(("text", "words"), OTHERS.values(), ids=OTHERS.keys())
def test_what_is_no_document_is_refused(text: str, words: str) -> None:
    with pytest.raises(UnreadableDocument) as refusal:
        Document.from_json(text)
    assert words in str(refusal.value)


# the command


def test_an_old_run_is_printed_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "audit.json"
    file.write_text(WHOLE.to_json(), encoding="utf-8")
    assert run(["report", str(file), "-v"]) == 0
    assert printed(WHOLE, tmp_path) in capsys.readouterr().out


@pytest.mark.parametrize("text", [None, *(text for text, _ in OTHERS.values())], ids=["no file", *OTHERS])
def test_malformed_input_is_one_line_and_exit_status_4(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None
) -> None:
    file = tmp_path / "audit.json"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    assert run(["report", str(file)]) == 4
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n"), str(file) in printed.err) == ("", 1, True)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "audit.json"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(UnreadableDocument, match=r"audit\.json: This is no text: name the audit\.json of a run\.$"):
        Document.load(file)


def test_the_command_prints_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema"]) == 0
    assert capsys.readouterr().out == FILE.read_text(encoding="utf-8")


def test_xtable_ran_in_utc_where_a_document_of_the_schema_before_does_not_say_so() -> None:
    raw = json.loads(WHOLE.to_json())
    assert raw["run"].pop("zone") == "UTC"
    assert Document.from_json(json.dumps(raw | {"schema_version": OLDER[0]})).run.zone == "UTC"


@pytest.mark.parametrize("planner", planners())
def test_a_trial_by_any_planner_is_read_back(planner: Any) -> None:
    of_planner = replace(document(claim()), trials=(TrialRow("good_layout", planner, 1, 0, {}),))
    assert Document.from_json(of_planner.to_json()) == of_planner
