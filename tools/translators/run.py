"""The translators that run here, in the order of the page; how each runs, and how its metadata is judged."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from lab.subjects.translator_scores import Fault, Made, Score
from spark_jobs.battery.paimon import PAIMON_TABLES
from spark_jobs.battery.parquet import FOLDERS
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from tools.frozen.run import Unwatched
from tools.translators.by_libraries import DELTA_LAKE, PAIMON, PYICEBERG
from tools.translators.by_spark_and_xtable import BY_SPARK, XTABLE
from tools.translators.translator import LEFT_OUT, MetadataTranslator, NotTranslated, OwnCopy, Translate, restored
from xtable_audit.check.options import Options
from xtable_audit.check.run import check
from xtable_audit.check.source import AskedSource
from xtable_audit.formats.named_source import NamedSource
from xtable_audit.locate.locate import locate
from xtable_audit.model.outcome import Outcome
from xtable_audit.report.document import Document

# The translators that run here, in the order of the page. A new one has its place here.

_IN_ORDER = (XTABLE, PYICEBERG, *BY_SPARK, DELTA_LAKE, PAIMON)
TRANSLATORS: Mapping[str, MetadataTranslator] = MappingProxyType({one.id: one for one in _IN_ORDER})


def tables_of(translator: MetadataTranslator) -> tuple[BatteryTable, ...]:
    """All small tables of the formats that it takes, but for those of LEFT_OUT."""
    every = (*FOLDERS.values(), *BATTERY.values(), *PAIMON_TABLES.values())
    return tuple(one for one in every if one.format in translator.takes and one.name not in LEFT_OUT)


# Runs a translator over the tables that it takes, and has the judge of `xtable-audit check` judge each translation.


def run(translator: MetadataTranslator, tables: Collection[BatteryTable], home: Path) -> Iterator[Made]:
    """`home` is a folder for this run alone, with one for the source tables in it."""
    with translator.opened(home) as translate:
        for source in restored(tables, home / translator.folder):
            yield made_of(translate, source, translator.of_caller)


def scored(one: MetadataTranslator, on: str, made: Iterable[Made]) -> Score:
    in_order = tuple(sorted(made, key=lambda each: each.table))
    return Score(one.id, one.words, one.version, one.takes, one.needs, one.asked, on, in_order)


def made_of(translate: Translate, source: OwnCopy, of_caller: Collection[str] = ()) -> Made:
    try:
        location = translate(source)
    except NotTranslated as refused:
        return Made(source.name, source.format, refused=_anywhere(str(refused), source))
    document = judged(location, source)
    failing = [one.finding for one in document.claims if one.finding is not None]
    return Made(
        source.name,
        source.format,
        faults=tuple(
            Fault(one.claim, one.verdict, one.columns, one.impact.files, one.registered)
            for one in failing
            if not one.root and one.claim not in of_caller
        ),
        held=document.count(Outcome.HELD),
        follows=tuple(
            one.claim for one in document.claims if one.follows or (one.finding is not None and one.finding.root)
        ),
        unsure=tuple(
            f"{one.claim}: {_anywhere(one.reason or '', source)}"
            for one in document.claims
            if one.outcome in (Outcome.INCONCLUSIVE, Outcome.ERROR)
        ),
    )


def judged(location: str, source: OwnCopy) -> Document:
    """What `xtable-audit check LOCATION --allow-prefix FOLDER --source FORMAT:FOLDER` finds.

    The command compares a source with tables that XTable wrote alone, since others do not say which commit they have.
    Here it is known: the newest.
    """
    named = NamedSource(source.format.lower(), str(source.folder))
    asked = AskedSource(named, synced=source.newest)
    return check(locate(location, allow=(str(source.folder),)), Options(location, source=asked), Unwatched())


def _anywhere(words: str, source: OwnCopy) -> str:
    """The words without the folder of this run."""
    home = str(source.folder.parent.parent)
    return words.replace(str(source.folder), source.name).replace(home, "FOLDER")
