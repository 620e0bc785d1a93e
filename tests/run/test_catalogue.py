"""The catalogue of a run's tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab.provision.catalogue import Catalogue
from lab.provision.plan import Plan
from lab.provision.providers.built_here import BuiltHere
from lab.provision.providers.laboratory import Laboratory
from lab.provision.providers.provider import Tools
from lab.subjects.groups import ALL, FOREIGN, IN_BATTERY, LABORATORY
from lab.subjects.offer import Group, Offer
from tests.run.elsewhere import Elsewhere, Found
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import SubjectId

PLAN = Plan()


class Same:
    """Offers a table that another provider has."""

    def offers(self, plan: Plan) -> Iterator[Offer]:
        yield Offer(SubjectId("good_layout", "xtable"), "foreign")

    def build(self, offer: Offer, tools: Tools) -> Found:
        raise AssertionError("nothing is built to be listed")


CONTROLLED = {id: offer for id, offer in Catalogue(PLAN).items() if offer.control is not None}


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
