"""The parser of Firebolt's plans, on plans written by hand in the documented shape: no evidence about Firebolt."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.engines.firebolt.listings import QueryPlan, UnknownPlan, read_plan

PLANS = Path(__file__).with_name("firebolt_plans")


def recorded(name: str) -> str:
    return (PLANS / f"{name}.json").read_text()


@pytest.mark.parametrize(
    ("name", "filtered", "plan"),
    [
        ("one_of_four", True, QueryPlan(live=4, planned_count=1, scanned=3403619, returned=3403619)),
        ("four_of_four", True, QueryPlan(live=4, planned_count=4, scanned=9384433, returned=3403619)),
        ("none_of_four", True, QueryPlan(live=4, planned_count=0, scanned=0, returned=0)),
        ("without_predicate", False, QueryPlan(live=4, planned_count=4, scanned=9384433, returned=9384433)),
        ("two_nodes", True, QueryPlan(live=8, planned_count=3, scanned=200, returned=120)),
    ],
)
def test_a_plan_in_the_documented_shape_has_files_and_rows(name: str, filtered: bool, plan: QueryPlan) -> None:
    assert read_plan(recorded(name), filtered) == plan


@pytest.mark.parametrize("file", sorted(PLANS.glob("*.json")), ids=lambda file: file.stem)
def test_a_recorded_plan_says_that_it_is_no_evidence_about_firebolt(file: Path) -> None:
    plans = json.loads(file.read_text())
    for plan in plans if isinstance(plans, list) else [plans]:
        assert "no evidence about Firebolt" in plan["note"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("from_a_cache", "operator 5 (TableFuncScan) did not run, so its rows came from a cache"),
        ("answered_from_metadata", "it has 0 operators that call read_from_s3, not one"),
        ("without_predicate", "no filter stands above operator 1 (TableFuncScan), so its rows may be those after the"),
    ],
)
def test_a_plan_that_lacks_numbers_is_refused_in_one_sentence(name: str, words: str) -> None:
    with pytest.raises(UnknownPlan) as refused:
        read_plan(recorded(name), filtered=True)
    assert str(refused.value).startswith(words)


def metrics(place: int, **changes: Any) -> Callable[[dict[str, Any]], None]:
    """Change what one operator of the plan did; None takes a number away."""

    def change(plan: dict[str, Any]) -> None:
        metrics = plan["operators"][place]["annotations"]["execution_metrics"]
        metrics.update(changes)
        for name in [name for name, value in metrics.items() if value is None]:
            del metrics[name]

    return change


def operator(place: int, **changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda plan: plan["operators"][place].update(changes)


def top(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda plan: plan.update(changes)


SHAPES: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "newer version": (top(version=2), "it is of version 2, and version 1 is the known one"),
    "not analyzed": (top(explain_type="physical"), "it holds 0 plans of explain_type analyze, not one"),
    "no operators": (top(operators=None), "its operators are not as documented"),
    "bare operator": (top(operators=[{"operator_id": 0}]), "its operators are not as documented: KeyError"),
    "id twice": (operator(5, operator_id=4), "its operators name each other by ids that are missing or not unique"),
    "id missing": (operator(5, input_ids=[77]), "its operators name each other by ids that are missing or not unique"),
    "no listing": (operator(7, operator_type="TableScan"), "it has 0 operators that call list_iceberg_files, not one"),
    "join": (operator(6, operator_type="Join"), "operator 6 (Join) stands above operator 7 (TableFuncScan), and is"),
    "limit": (operator(2, operator_type="Limit"), "operator 2 (Limit) stands above operator 4 (TableFuncScan), and is"),
    "two consumers": (operator(8, input_ids=[7]), "operator 7 (TableFuncScan) has 2 consumers, not one"),
    "no consumer": (operator(4, input_ids=[]), "operator 5 (Filter) has 0 consumers, not one"),
    "circle": (operator(6, input_ids=[7, 5]), "operator 5 (Filter) has 2 consumers, not one"),
    "rows lost": (metrics(6, output_cardinality=3), "operator 6 (MaybeCache) took in 4 rows and gave 3"),
    "files gained": (metrics(5, output_cardinality=5), "a filter gave more rows than it took in"),
    "no number": (metrics(7, output_cardinality=None), "operator 7 (TableFuncScan) has no output_cardinality"),
    "a word": (metrics(7, output_cardinality="4"), "operator 7 (TableFuncScan) has no output_cardinality"),
    "cached filter": (metrics(5, nothing_executed=True), "operator 5 (Filter) did not run, so its rows came from"),
    "cached scan": (metrics(4, nothing_executed=True), "operator 4 (TableFuncScan) did not run, so its rows came from"),
}


@pytest.mark.parametrize(("change", "words"), SHAPES.values(), ids=SHAPES)
def test_a_plan_of_another_shape_is_refused_in_one_sentence(
    change: Callable[[dict[str, Any]], None], words: str
) -> None:
    plan = json.loads(recorded("one_of_four"))
    change(plan)
    with pytest.raises(UnknownPlan) as refused:
        read_plan(json.dumps(plan), filtered=True)
    assert str(refused.value).startswith(words)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["", "[TableFuncScan] $0 = read_from_s3(…)", "7", "[]", "null", '{"operators": 1}'])
def test_what_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(UnknownPlan):
        read_plan(text, filtered=True)
