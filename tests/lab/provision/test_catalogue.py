"""The catalogue of a run's tables: where they come from, where XTable reaches them, and what a new source takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest
from rich.console import Console

from lab.provision.catalogue import Catalogue
from lab.provision.live_or_recorded import ChosenTranslation
from lab.provision.plan import THROUGH_STORE, Plan
from lab.provision.progress import Progress
from lab.provision.provider_protocol import Tools
from lab.provision.providers import BuiltHere, Laboratory
from lab.provision.provisioner import Provisioner
from lab.provision.translator_output import Translated
from lab.subjects.groups import ALL, FOREIGN, IN_BATTERY, LABORATORY
from lab.subjects.table import Group, Offer
from tests.tables.orders import falsify, orders
from tests.whole_runs.elsewhere import LOCATION, Elsewhere, Found
from tests.whole_runs.run import Audit, Ran
from xtable.replay import newest_recording
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import SubjectId

PLAN = Plan()
CONTROLLED = {id: offer for id, offer in Catalogue(PLAN).items() if offer.control is not None}
ORDINARY, PUBLISHED, TIMES_SET = "types_ints_plain", THROUGH_STORE[0], "edge_delta_same_second"
__all__ = ["orders"]


class Same:
    """Offers a table that another provider has."""

    def offers(self, plan: Plan) -> Iterator[Offer]:
        yield Offer(SubjectId("good_layout", "xtable"), "foreign")

    def build(self, offer: Offer, tools: Tools) -> Found:
        raise AssertionError("nothing is built to be listed")


@pytest.fixture
def provisioner(tmp_path: Path) -> Iterator[Provisioner]:
    """Of a machine with Spark, and recordings for XTable."""
    translation = ChosenTranslation("recorded", newest_recording(), "no release resolves here")
    provisioner = Provisioner(Plan(), Catalogue(Plan()), Progress(Console(quiet=True)), tmp_path, translation)
    yield provisioner
    provisioner.stop()


def audited(audit: Audit, location: str) -> Ran:
    return audit("-p", "tests.whole_runs.elsewhere", "-k", "orders-unknown", environment={LOCATION: location})


# The catalogue of a run's tables.


def test_a_tables_control_is_of_the_same_source_and_target() -> None:
    for offer in CONTROLLED.values():
        control = Catalogue(PLAN)[str(offer.control)]
        assert (control.entry, control.id.target, control.id.is_control) == (offer.entry, offer.id.target, True)


def test_two_tables_of_one_id_are_refused() -> None:
    with pytest.raises(Problem, match="two tables have the id good_layout-xtable: rename one of them"):
        Catalogue(PLAN, [BuiltHere(), Same()])


def test_a_group_has_the_tables_of_every_provider() -> None:
    ids = Catalogue(PLAN, [BuiltHere(), Elsewhere()]).ids(ALL)
    assert {"good_layout-xtable", "types_nan_plain-xtable", "orders-unknown"} <= {*ids}


def test_a_table_of_two_groups_is_listed_once() -> None:
    catalogue = Catalogue(PLAN, [BuiltHere()])
    assert catalogue.ids(ALL, IN_BATTERY, "good_layout-xtable") == catalogue.ids(ALL)


def test_a_table_is_built_by_the_provider_that_offers_it() -> None:
    laboratory = Laboratory()
    catalogue = Catalogue(PLAN, [BuiltHere(), laboratory])
    assert {catalogue.provider(id) for id in catalogue.ids(LABORATORY)} == {laboratory}


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("god_layout-xtable", "there is no table god_layout-xtable"),
        (FOREIGN, "there is no table that another writer"),
    ],
    ids=["an unknown id", "an empty group"],
)
def test_what_no_table_has_is_refused(wanted: Group | str, words: str) -> None:
    """Else its tests would vanish without a word."""
    with pytest.raises(Problem, match=words):
        Catalogue(PLAN, [BuiltHere()]).ids(wanted)


# Where XTable reaches a table, by a run's options.


@pytest.mark.parametrize(
    ("plan", "through_store"),
    [
        (Plan(), {PUBLISHED}),
        (Plan(sync_through="mount", s3="minio"), {PUBLISHED}),
        (Plan(sync_through="store"), {PUBLISHED, ORDINARY}),
        (Plan(s3="minio"), {PUBLISHED, ORDINARY}),
        (Plan(fresh_jvm=True), {PUBLISHED, ORDINARY}),
    ],
    ids=["by default", "over a mount", "through the store", "another store than moto", "a new JVM for every sync"],
)
def test_a_table_whose_times_no_store_gives_is_always_over_a_mount(plan: Plan, through_store: set[str]) -> None:
    tables = (ORDINARY, PUBLISHED, TIMES_SET)
    assert {table for table in tables if plan.goes_through_store(table)} == through_store


# What is built where no release of XTable resolves.


@pytest.mark.parametrize("order", [*permutations(["plain_types-control", "plain_types-xtable"])], ids=" then ".join)
def test_both_translators_have_the_same_recorded_source(provisioner: Provisioner, order: tuple[str, ...]) -> None:
    """In either order of building."""
    first, second = (provisioner.table(id) for id in order)
    assert isinstance(first, Translated)
    assert isinstance(second, Translated)
    assert (first.dataset.mode, first.dataset) == ("recorded", second.dataset)
    assert first.metadata_location != second.metadata_location


# A new source of tables: one file, one line, and the suites check every claim that applies to them.


def test_a_healthy_table_of_a_new_source_holds_what_applies_to_it(audit: Audit, orders: tuple[str, Path]) -> None:
    ran = audited(audit, orders[0])
    outcomes = Counter(ran.outcomes().values())
    assert (ran.status, set(outcomes)) == (0, {"held", "not_applicable"}), ran.text
    assert outcomes["held"] > 10


def test_a_false_bound_on_a_table_of_a_new_source_is_a_finding(audit: Audit, orders: tuple[str, Path]) -> None:
    location, data_file = orders
    falsify(data_file)
    ran = audited(audit, location)
    failed = {test.partition("::")[2] for test, outcome in ran.outcomes().items() if outcome == "finding"}
    assert ran.status == 1, ran.text
    assert "test_bounds_contain_values[orders-unknown]" in failed
