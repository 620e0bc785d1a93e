"""Tables that this suite writes with Spark or has recorded: the published audit's, and the battery."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from provision.cases import TranslatedTable
from provision.datasets import Dataset
from provision.plan import Plan
from provision.providers.provider import Tools
from provision.translated_by import CONTROL, NATIVE, TRANSLATORS
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import FAMILIES
from spark_jobs.recipes import RECIPES, Recipe
from subjects.offer import Offer
from xtable.replay import newest_recording
from xtable_audit.model.subject_id import ICEBERG, SubjectId


@dataclass(frozen=True)
class BuiltHere:
    def offers(self, plan: Plan) -> Iterator[Offer]:
        for recipe in RECIPES.values():
            if recipe.format == "ICEBERG":
                yield Offer(SubjectId(recipe.name), "published", recipe)
            else:
                yield from _translations(recipe.name, "published", recipe)
        for family in FAMILIES:
            for table in family.TABLES:
                yield from _translations(table.name, family.__name__.rpartition(".")[2], table)

    def build(self, offer: Offer, tools: Tools) -> TranslatedTable:
        by = TRANSLATORS[offer.id.translator]
        dataset = _dataset(offer, tools, recorded=tools.translation.mode == "recorded" and by.recorded_with_xtable)
        translated = by.translate(dataset, tools)
        return TranslatedTable(offer, replace(dataset, prefix=translated.prefix or dataset.prefix), translated)


def _dataset(offer: Offer, tools: Tools, *, recorded: bool) -> Dataset:
    datasets = tools.datasets()
    if recorded or tools.plan.recorded:
        release = tools.translation.release if tools.translation.mode == "recorded" else newest_recording()
        return datasets.recorded(offer.entry, release)
    datasets.announce(announced.id.dataset for announced in tools.announced())
    return datasets.live(offer.entry)


def _translations(name: str, family: str, entry: Recipe | BatteryTable) -> Iterator[Offer]:
    """The source table by each translator. A Delta table has no Delta target, and no control is one of Delta's."""
    control = SubjectId(name, CONTROL)
    for translator, by in TRANSLATORS.items():
        if translator != NATIVE and by.target != entry.format.lower():
            controlled = translator != CONTROL and by.target == ICEBERG
            yield Offer(SubjectId(name, translator), family, entry, by.target, control if controlled else None)
