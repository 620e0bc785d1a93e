"""What a user should do about a finding: each remedy stands once, and nothing of a statement is cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from lab.provision.checked_register import REGISTER, register
from tests.xtable_audit.report.html.test_first import MILLIS, NONE_KNOWN, OWN
from tests.xtable_audit.report.runs import document, found
from xtable_audit.claims.every_claim import EVERY_CLAIM
from xtable_audit.model.finding import Blame, Finding
from xtable_audit.model.subject_id import ICEBERG, SubjectId
from xtable_audit.register.bundled import bundled_register
from xtable_audit.register.entry import ActsOn
from xtable_audit.report import what_to_do as advice
from xtable_audit.report.check_screen import AS_ABOVE, NOTHING, findings_lines
from xtable_audit.report.document import Document, Registered
from xtable_audit.report.what_to_do import ANEW, DROP, OF_SYNCS, TRY, what_to_do

BACK = replace(MILLIS, recovers="Move metadata away.")
OTHER = replace(MILLIS, remedy="Write days.")
IN_SOURCE = ("XTF-003", "XTF-004", "XTF-005", "XTF-006")
"""Entries whose remedies act on the source."""


def target_of(table: str) -> str:
    return SubjectId.parse(table).target


def known(entry: Registered) -> list[str]:
    return what_to_do(found(registered="XTF-004"), replace(document(), register={"XTF-004": entry}))


def own(*maybe: Registered) -> Document:
    """A user's table, on which a claim about bounds may break by one of these."""
    entries = dict(zip(IN_SOURCE, maybe, strict=False))
    return replace(
        document(), own_table=replace(OWN, candidates={"bounds_contain_values": tuple(entries)}), register=entries
    )


def lines(*groups: Sequence[Finding]) -> list[str]:
    own = replace(document(), own_table=replace(OWN, candidates={}))
    return [line.plain for line in findings_lines(groups, own)]


def remedies(*groups: Sequence[Finding]) -> list[str]:
    return [line.strip() for line in lines(*groups) if line.startswith(("  do ", "  or "))]


# What a user should do about a finding.


def test_a_remedy_is_followed_by_a_new_translation_for_what_is_written_stays() -> None:
    assert known(MILLIS) == [f"First, in the source, for existing rows too: Write microseconds. Then {ANEW}."]


WAYS: dict[ActsOn | None, str] = {
    ActsOn.SOURCE: f"First, in the source, for existing rows too: Write microseconds. Then {ANEW}.",
    ActsOn.CONFIGURATION: f"First: Write microseconds. Then {ANEW}.",
    ActsOn.SYNC: f"First, {DROP}. Then: Write microseconds.",
    ActsOn.READER: "Write microseconds.",
    ActsOn.METADATA: "Write microseconds.",
    None: f"First: Write microseconds. Then {ANEW}.",
}


@pytest.mark.parametrize("acts_on", [*ActsOn, None])
def test_where_a_remedy_is_applied_is_told_by_what_it_acts_on_whatever_its_words(
    monkeypatch: pytest.MonkeyPatch, acts_on: ActsOn | None
) -> None:
    entries = tuple(replace(one, acts_on=acts_on) for one in bundled_register())
    monkeypatch.setattr(advice, "bundled_register", lambda: entries)
    assert known(MILLIS) == [WAYS[acts_on]]


def test_of_an_entry_that_is_not_in_the_register_only_what_is_so_of_each_is_told() -> None:
    made = replace(document(), register={"XTF-999": MILLIS})
    assert what_to_do(found(registered="XTF-999"), made) == [WAYS[None]]


BY_CONFIGURATION = {
    "XTF-021", "XTF-022", "XTF-023", "XTF-024", "XTF-070", "XTF-090", "XTF-106", "XTF-107", "XTF-108", "XTF-109",
    "XTF-123", "XTF-124",
}  # fmt: skip
BY_A_SYNC = {
    "XTF-010", "XTF-011", "XTF-015", "XTF-028", "XTF-031", "XTF-066", "XTF-067", "XTF-068", "XTF-069", "XTF-079",
    "XTF-080", "XTF-118",
}  # fmt: skip

BY_A_READER = {"XTF-127"}
BY_METADATA = {"XTF-013", "XTF-026", "XTF-060", "XTF-075", "XTF-104", "XTF-105", "XTF-117"}


def test_what_each_remedy_of_the_register_acts_on() -> None:
    """A new entry's remedy is in the source unless it stands here."""
    of: dict[ActsOn, set[str]] = {}
    for one in register(REGISTER):
        if one.acts_on:
            of.setdefault(one.acts_on, set()).add(one.id)
    assert of.pop(ActsOn.SOURCE) >= {"XTF-003", "XTF-004", "XTF-036"}
    assert of == {
        ActsOn.SYNC: BY_A_SYNC,
        ActsOn.CONFIGURATION: BY_CONFIGURATION,
        ActsOn.READER: BY_A_READER,
        ActsOn.METADATA: BY_METADATA,
    }


@pytest.mark.parametrize("entry", [MILLIS, BACK], ids=["a remedy", "a way back"])
def test_of_a_delta_table_only_what_avoids_the_finding_is_told(entry: Registered) -> None:
    """A way back that was tried on Iceberg's metadata alone."""
    made = replace(document(), register={"XTF-004": entry})
    finding = found(registered="XTF-004", table="types_millis_plain-delta_by_kernel")
    assert what_to_do(finding, made) == ["Write microseconds."]


@pytest.mark.parametrize(("id", "ways"), [("XTF-069", 2), ("XTF-075", 1), ("XTF-060", 0)])
def test_of_a_delta_table_is_told_what_was_tried_on_delta(id: str, ways: int) -> None:
    [entry] = (one for one in register(REGISTER) if one.id == id)
    made = replace(document(), register={id: replace(MILLIS, remedy=entry.remedy, recovers=entry.recovers)})
    finding = found(registered=id, table="types_millis_plain-delta_by_kernel")
    assert len(what_to_do(finding, made)) == ways


def test_a_remedy_of_anything_but_xtable_needs_no_new_translation() -> None:
    made = replace(document(), register={"XTF-004": MILLIS})
    assert what_to_do(found(registered="XTF-004", blame=Blame.reader("daft")), made) == ["Write microseconds."]


def test_what_brings_a_table_back_follows_what_avoids_the_finding() -> None:
    assert known(BACK) == ["Write microseconds.", "To bring the table back: move metadata away."]


def test_what_brings_a_table_back_is_told_where_nothing_avoids_the_finding() -> None:
    assert known(replace(BACK, remedy="none known")) == ["To bring the table back: move metadata away."]


def test_nothing_is_told_where_nothing_is_known() -> None:
    assert known(NONE_KNOWN) == []


def test_advice_is_told_beside_the_remedy() -> None:
    made = replace(document(), register={"XTF-004": NONE_KNOWN})
    assert what_to_do(found(registered="XTF-004", advice=("cast it",)), made) == ["cast it"]


IF_FIRST = "if it is XTF-003: Write microseconds"

FIRST = "first, in the source, for existing rows too"

MORE = "More: xtable-audit known"


@pytest.mark.parametrize(
    ("maybe", "told"),
    [
        ((BACK,), ["if it is: move metadata away.", f"{IF_FIRST}. {MORE} XTF-003"]),
        (
            (BACK, replace(BACK, remedy="none known")),
            ["whichever it is: move metadata away.", f"{IF_FIRST}. {MORE} XTF-003"],
        ),
        (
            (MILLIS, OTHER),
            [
                f"if it is XTF-003: {FIRST}: Write microseconds. Then {ANEW}. {MORE} XTF-003",
                f"if it is XTF-004: {FIRST}: Write days. Then {ANEW}. {MORE} XTF-004",
            ],
        ),
        (
            (MILLIS, MILLIS),
            [f"whichever it is: {FIRST}: Write microseconds. Then {ANEW}. {MORE} XTF-003"],
        ),
        (
            (MILLIS, OTHER, MILLIS, NONE_KNOWN),
            [
                f"if it is XTF-003 or XTF-005: {FIRST}: Write microseconds. Then {ANEW}. {MORE} XTF-003",
                f"if it is XTF-004: {FIRST}: Write days. Then {ANEW}. {MORE} XTF-004",
            ],
        ),
        ((NONE_KNOWN,), []),
    ],
    ids=[
        "one, with a way back",
        "two with one way back",
        "two with a remedy each",
        "two with one remedy",
        "two of four with one",
        "one without",
    ],
)
def test_on_a_users_table_each_candidate_is_told(maybe: tuple[Registered, ...], told: list[str]) -> None:
    assert what_to_do(found(), own(*maybe)) == told


@pytest.mark.parametrize("claim", sorted(OF_SYNCS))
def test_wrong_files_of_an_unknown_cause_are_told_what_brought_our_tables_back(claim: str) -> None:
    assert what_to_do(found(claim=claim), own()) == [TRY]


def test_no_way_back_is_promised_for_files_that_another_writer_left() -> None:
    by_another: Finding = found(claim=min(OF_SYNCS), blame=Blame.writer("spark"))
    assert what_to_do(by_another, own()) == []


def test_what_syncs_leave_wrong_is_judged_by_claims_that_exist() -> None:
    assert set(EVERY_CLAIM) >= OF_SYNCS


def test_the_findings_that_are_named_as_brought_back_are_those_of_the_register() -> None:
    """Those of Delta's metadata go another way."""
    back = [entry.id for entry in register(REGISTER) if ICEBERG in map(target_of, entry.recovers_by)]
    assert f"({', '.join(back)})" in TRY


# Each finding ends with what to do, each remedy is printed once, and nothing of a statement is cut.


def test_a_finding_without_a_remedy_says_so() -> None:
    assert remedies([found()]) == [f"do        {NOTHING}"]


def test_a_remedy_of_two_findings_is_told_once() -> None:
    one, two, three = (found(advice=advice) for advice in (("mend",), ("mend", "wait"), ("mend",)))
    told = remedies([one], [two], [three])
    assert told == ["do        mend", f"do        {AS_ABOVE}", "or        wait", f"do        {AS_ABOVE}"]


def test_a_root_without_a_remedy_has_that_of_what_follows_from_it() -> None:
    assert remedies([found(), found(claim="bounds_are_tight", advice=("mend",))]) == ["do        mend"]


def test_a_statement_is_whole() -> None:
    statement = f"CALL {'x' * 500}({'y' * 200})"
    assert statement.replace(" ", "") in "".join(lines([found(advice=(statement,))])).replace(" ", "")


def test_stored_and_expected_paths_show_where_they_differ() -> None:
    name = f"part-{'0' * 60}.parquet"
    told = "\n".join(lines([found(saw=f"no object at s3://l/p=50%2525/{name}", expected=f"s3://l/p=50%25/{name}")]))
    assert "p=50%2525/" in told
    assert "p=50%25/" in told
    assert name not in told
