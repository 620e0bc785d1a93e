"""Tables that this suite writes with Spark or has recorded: the published audit's, and the battery."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lab.provision.dataset import Dataset
from lab.provision.plan import ON_REQUEST, Plan
from lab.provision.providers.provider import Tools
from lab.provision.sources.known import FORMATS
from lab.provision.translated import Translated
from lab.provision.translated_by import TRANSLATORS
from lab.subjects.table import Offer
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY, FAMILIES
from spark_jobs.recipes import RECIPES, Recipe
from xtable.replay import newest_recording
from xtable_audit.model.subject_id import DELTA, NATIVE_DELTA, SubjectId


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
