"""The catalogue: every table that can be audited, by id, who provides it, and which ones a run audits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from lab.provision import providers as available
from lab.provision.plan import Plan
from lab.provision.providers.provider import Provider
from lab.provision.targets import is_selected, writers_of
from lab.subjects.table import Group, Offer
from xtable_audit.model.problem import Problem


class Catalogue(Mapping[str, Offer]):
    """Offers by id, in the order of reports: of every target, whichever of them the plan selects."""

    def __init__(self, plan: Plan, providers: Sequence[Provider] | None = None) -> None:
        """`providers` are PROVIDERS by default. Raises Problem if two tables have the same id."""
        self._offers: dict[str, tuple[Offer, Provider]] = {}
        self._plan = plan
        self._writers = writers_of(plan)
        self._ids: dict[tuple[Group | str, ...], tuple[str, ...]] = {}
        for provider in available.PROVIDERS if providers is None else providers:
            for offer in provider.offers(plan):
                if str(offer.id) in self._offers:
                    raise Problem(f"two tables have the id {offer.id}: rename one of them")
                self._offers[str(offer.id)] = offer, provider

    def __getitem__(self, id: str) -> Offer:
        return self._offers[id][0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._offers)

    def __len__(self) -> int:
        return len(self._offers)

    def provider(self, id: str) -> Provider:
        return self._offers[id][1]

    def ids(self, *tables: Group | str) -> tuple[str, ...]:
        """The tables of these groups and ids that the plan selects, each once; none if all are of another target.

        Raises Problem for an unknown id or an empty group.
        """
        if tables not in self._ids:  # hundreds of tests name few groups
            self._ids[tables] = self._ids_of(tables)
        return self._ids[tables]

    def _ids_of(self, tables: tuple[Group | str, ...]) -> tuple[str, ...]:
        for choice in tables:
            if isinstance(choice, str) and choice not in self:
                raise Problem(f"there is no table {choice}")
            if isinstance(choice, Group) and not any(map(choice.has, self.values())):
                raise Problem(f"there is no table that {choice.words}")
        return tuple(id for id, offer in self._selected.items() if any(_is_of(offer, choice) for choice in tables))

    @cached_property
    def _selected(self) -> Mapping[str, Offer]:
        """Those that the plan selects: one table in three, and groups look at no others."""
        return {id: offer for id, offer in self.items() if is_selected(offer, self._plan, self._writers)}

    @property
    def datasets(self) -> frozenset[str]:
        return frozenset(offer.id.dataset for offer in self.values())


def _is_of(offer: Offer, choice: Group | str) -> bool:
    return choice.has(offer) if isinstance(choice, Group) else str(offer.id) == choice
