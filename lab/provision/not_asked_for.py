"""What a run of all tables is not asked for: those of other sources and targets, by the options that have them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from lab.provision.catalogue import Catalogue
from lab.provision.plan import DELTA_RS, PAIMON, WITHOUT_LOG, Plan, flag
from lab.subjects.groups import ALL, each_target
from xtable_audit.model.figures import many
from xtable_audit.model.subject_id import DELTA, HUDI, ICEBERG

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
