"""The catalogue: every table that can be audited, by id, who provides it, and which ones a run audits or leaves out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from lab.provision import providers as available
from lab.provision.plan import DELTA_RS, PAIMON, WITHOUT_LOG, Plan, flag
from lab.provision.provider_protocol import Provider
from lab.provision.targets import is_selected, writers_of
from lab.subjects.groups import ALL, each_target
from lab.subjects.table import Group, Offer
from xtable_audit.model.figures import many
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import DELTA, HUDI, ICEBERG


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


# What a run of all tables is not asked for: those of other sources and targets, by the options that have them.

FURTHER: tuple[Mapping[str, Any], ...] = (
    {"target": DELTA},
    {"target": HUDI},
    {"delta_source_by": "kernel"},
    {"source_format": WITHOUT_LOG},
    {"source_format": WITHOUT_LOG, "target": DELTA},
    {"source_format": WITHOUT_LOG, "target": HUDI},
    {"source_format": PAIMON},
    {"source_format": PAIMON, "target": DELTA},
    {"source_format": PAIMON, "target": HUDI},
    {"source_format": DELTA_RS},
    {"source_format": DELTA_RS, "delta_source_by": "kernel"},
    {"source_format": DELTA_RS, "target": HUDI},
    {"source_format": ICEBERG, "target": DELTA},
    {"source_format": ICEBERG, "target": HUDI},
)
"""Options of a plan, each set of which has tables that a plan without options does not have, nor any other set."""
ONCE_MORE: Mapping[str, Any] = {"delta_target_by": "standalone", "standalone_tables": "all"}
"""Options that write to Delta once more what each set of FURTHER has there."""


def not_asked_for(plan: Plan, audited: Collection[str], seconds: float) -> str:
    """A sentence after a run of `seconds`; "" if the plan asks for other tables, or the run audited not all it has."""
    if any(getattr(plan, name) != getattr(Plan, name) for options in FURTHER for name in options):
        return ""
    own = _tables(plan)
    if plan.upgrade_from is not None or plan.xtable_jar is not None or not own <= {*audited}:
        return ""
    plans = [replace(plan, readers=(), **options) for options in FURTHER]
    left = [len(_tables(further) - own) for further in plans]
    minutes = max(round(seconds / len(own) * sum(left) / 60), 1)
    each = ", ".join(
        f"{_flags(options)} ({many(tables, 'table')})" for options, tables in zip(FURTHER, left, strict=True)
    )
    to_delta = [further for further in plans if further.target == DELTA]
    again = sum(len(_tables(replace(further, **ONCE_MORE)) - _tables(further)) for further in to_delta)
    return (
        f"Further options audit more of XTable: {each}. At this run's pace these take about {minutes} min. "
        f"With {_flags(ONCE_MORE)}, Delta Standalone writes {many(again, 'table')} to Delta, "
        "too, at 5 to 15 s a live sync."
    )


def _flags(options: Mapping[str, Any]) -> str:
    return " ".join(flag(*option) for option in options.items())


def _tables(plan: Plan) -> frozenset[str]:
    return frozenset(Catalogue(plan).ids(each_target(ALL)))
