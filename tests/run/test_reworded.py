"""A run's outcomes come from what is so, not from how it is said: said otherwise, they are the same."""

from __future__ import annotations

from typing import Any

import pytest

from tests.run.conftest import Audit, Ran
from tests.run.reworded import OTHERWISE

TABLES = (
    "v8_native",
    "types_nan_plain",
    "partition_swapped",
    "history_overwrite_table",
    "history_clean",
    "history_drop_columns",
)
SELECTED = ("--readers=none", "-k", " or ".join(f"{table}-xtable" for table in TABLES))


@pytest.fixture(scope="module")
def plain(audit: Audit) -> Ran:
    return audit(*SELECTED)


@pytest.fixture(scope="module")
def reworded(audit_alone: Audit) -> Ran:
    return audit_alone("-p", "tests.run.reworded", *SELECTED)


def told(ran: Ran, *names: str) -> dict[str, tuple[Any, ...]]:
    return {claim["test"]: tuple(claim[name] for name in names) for claim in ran.document["claims"]}


def test_outcomes_and_causes_are_the_same_in_other_words(plain: Ran, reworded: Ran) -> None:
    assert reworded.status == plain.status
    assert told(reworded, "outcome", "cause") == told(plain, "outcome", "cause")


def test_verdicts_and_blames_are_the_same_in_other_words(plain: Ran, reworded: Ran) -> None:
    def judged(ran: Ran) -> dict[str, tuple[Any, ...]]:
        found = {claim["test"]: claim["finding"] for claim in ran.document["claims"] if claim["finding"]}
        return {test: (one["verdict"], one["blame"], one["registered"]) for test, one in found.items()}

    assert judged(reworded) == judged(plain)


def test_the_run_has_what_could_be_told_by_words(plain: Ran) -> None:
    seen = {*told(plain, "outcome", "cause").values()}
    assert {("not_applicable", None), ("not_applicable", "refused"), ("known", None), ("known", "follows")} <= seen


def test_no_finding_is_known_by_what_it_says(plain: Ran, reworded: Ran) -> None:
    def said(ran: Ran) -> dict[str, str]:
        return {claim["test"]: claim["finding"]["saw"] for claim in ran.document["claims"] if claim["finding"]}

    before, after = said(plain), said(reworded)
    others = {test.partition("::test_")[2].partition("[")[0] for test, saw in after.items() if saw != before[test]}
    assert others >= {
        *("no_file_is_missing", "no_row_is_missing", "rows_are_as_many_after_a_sync"),
        "metadata_and_data_files_can_be_read",
    }


def test_the_words_are_others(plain: Ran, reworded: Ran) -> None:
    before, after = told(plain, "sentence", "reason"), told(reworded, "sentence", "reason")
    assert all(OTHERWISE.strip() in after[test][0].lower() for test in before)
    assert not any(reason and reason == after[test][1] for test, (_, reason) in before.items() if reason)
