"""Where tables come from. A new source of tables is a class here and its place in `PROVIDERS`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from lab.provision.dataset import Dataset
from lab.provision.hudi.kept_table import HudiTable, digest_of, kept, recorded
from lab.provision.plan import ON_REQUEST, Plan
from lab.provision.provider_protocol import Provider, Tools
from lab.provision.sources.every_source import FORMATS
from lab.provision.translator_output import Translated
from lab.provision.translator_registry import TRANSLATORS
from lab.stack.cache import Cache
from lab.subjects.hudi_tables import HudiSpec, hudi_specs
from lab.subjects.table import OWN_INDEXES, Offer
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY, FAMILIES
from spark_jobs.launch import SHIPS
from spark_jobs.recipes import RECIPES, Recipe
from xtable.replay import newest_recording
from xtable_audit.model.subject_id import DELTA, NATIVE_DELTA, SubjectId

# Tables that this suite writes with Spark or has recorded: the published audit's, and the battery.


@dataclass(frozen=True)
class BuiltHere:
    def offers(self, plan: Plan) -> Iterator[Offer]:
        for recipe in RECIPES.values():
            yield from _translations("published", recipe)
        for family in FAMILIES:
            for table in family.TABLES:
                yield from _translations(family.__name__.rpartition(".")[2], table)
        for format, tables in ON_REQUEST.items():
            for table in tables.values():
                yield from _translations(format, table)
        yield Offer(SubjectId(NATIVE_DELTA), DELTA, BATTERY["delta_plain"], DELTA)

    def build(self, offer: Offer, tools: Tools) -> Translated:
        return TRANSLATORS[offer.id.translator].translate(_dataset(offer, tools), tools)


def _dataset(offer: Offer, tools: Tools) -> Dataset:
    """A source that XTable translates is the recorded one if the translation is, for blame to compare translators."""
    datasets = tools.datasets()
    recorded = tools.translation.mode == "recorded" and FORMATS[offer.entry.format].is_translated
    if recorded or tools.plan.recorded:
        release = tools.translation.release if tools.translation.mode == "recorded" else newest_recording()
        return datasets.recorded(offer.entry, release)
    datasets.announce(announced.id.dataset for announced in tools.announced())
    return datasets.live(offer.entry)


def _translations(family: str, entry: Recipe | BatteryTable) -> Iterator[Offer]:
    """The source table by each translator that takes it."""
    for translator, by in TRANSLATORS.items():
        if by.takes(entry):
            controlled = by.control and TRANSLATORS[by.control].takes(entry)
            control = SubjectId(entry.name, by.control) if controlled else None
            yield Offer(SubjectId(entry.name, translator), family, entry, by.target, control)


# Hudi's laboratory: tables with Hudi's own indexes, and the answers of Hudi's own reader.


@dataclass(frozen=True)
class Laboratory:
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def offers(self, plan: Plan) -> Iterator[Offer]:
        for spec in hudi_specs():
            family = "shipping" if spec.dataset in SHIPS else "laboratory"
            yield Offer(spec.id, family, spec, metadata=OWN_INDEXES, versions={"hudi": spec.release})

    def build(self, offer: Offer, tools: Tools) -> HudiTable:
        spec, plan = offer.entry, tools.plan
        with self._one_at_a_time:
            if plan.recorded or plan.hudi == "auto":
                table = kept(recorded(str(offer.id), spec.release, Cache()), "recorded")
                if plan.recorded or table.subject == digest_of(spec, plan.shipping):
                    return table
            lab = tools.lab()
            entries = [announced.entry for announced in tools.announced()]
            lab.announce(entry for entry in entries if isinstance(entry, HudiSpec))
            return kept(lab.folder(spec), "live")


PROVIDERS: tuple[Provider, ...] = (BuiltHere(), Laboratory())
