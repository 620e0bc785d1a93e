"""The recorded targets but Iceberg: over the recorded sources, of every table that a run has XTable translate."""

from __future__ import annotations

import pytest

from lab.provision.hudi_target import TO_HUDI
from lab.provision.plan import DELTA_RS, ON_REQUEST, PAIMON, WITHOUT_LOG, Plan
from lab.provision.recorded_translations import NEWEST, TRANSLATED, archives_of, newest_of
from lab.provision.targets import BY_STANDALONE
from lab.stack.cache import Cache
from spark_jobs.battery.tables import BATTERY
from spark_jobs.recipes import RECIPES
from xtable.replay import BATTERY_RECORDINGS, RECORDINGS, SOURCES, SUFFIX, checked, recordings_of, unpacked
from xtable.writer import DELTA, HUDI, STANDALONE, WRITERS
from xtable_audit.model.subject_id import ICEBERG

OF_HUDI = {name for name, table in (BATTERY | RECIPES).items() if table.format == "HUDI"}
ARCHIVES = [
    (writer.id, path.name.removesuffix(SUFFIX)) for writer in DELTA for path in archives_of(writer).glob(f"*{SUFFIX}")
]
REQUESTED = [(format, writer.id) for format in (WITHOUT_LOG, PAIMON, ICEBERG) for writer in DELTA]
TO_HUDI_BY_FORMAT = {
    "auto": TO_HUDI & BATTERY.keys(),
    **{format: TO_HUDI & ON_REQUEST[format].keys() for format in (PAIMON, DELTA_RS)},
}


@pytest.mark.parametrize(("writer", "release"), ARCHIVES)
def test_delta_targets_are_recorded_over_the_recorded_sources(writer: str, release: str) -> None:
    """Else a recorded run holds the log of one table against the files of another."""
    archives, cache = archives_of(WRITERS[writer]), Cache()
    facts = checked(unpacked(archives, cache, release) / release)[TRANSLATED]
    assert facts.keys() == (OF_HUDI if writer != STANDALONE.id else BY_STANDALONE)
    battery = unpacked(BATTERY_RECORDINGS, cache, SOURCES) / SOURCES
    trees = {name: (battery if name in BATTERY else RECORDINGS / SOURCES) / name for name in facts}
    assert {name: newest_of(tree) for name, tree in trees.items()} == {
        name: noted[NEWEST] for name, noted in facts.items()
    }


@pytest.mark.parametrize(("source_format", "writer"), REQUESTED)
def test_tables_on_request_are_recorded_as_delta_over_the_recorded_sources(source_format: str, writer: str) -> None:
    archives, cache, release = recordings_of(source_format), Cache(), "0.4.0-incubating"
    facts = checked(unpacked(archives_of(WRITERS[writer], archives), cache, release) / release)[TRANSLATED]
    assert facts.keys() == ON_REQUEST[source_format].keys()
    sources = unpacked(archives, cache, SOURCES) / SOURCES
    assert {name: newest_of(sources / name) for name in facts} == {name: noted[NEWEST] for name, noted in facts.items()}


@pytest.mark.parametrize("source_format", TO_HUDI_BY_FORMAT)
def test_hudi_targets_are_recorded_over_the_recorded_sources(source_format: str) -> None:
    archives, cache, release = Plan(source_format=source_format).archives, Cache(), "0.4.0-incubating"
    facts = checked(unpacked(archives_of(HUDI, archives), cache, release) / release)[TRANSLATED]
    assert facts.keys() == TO_HUDI_BY_FORMAT[source_format]
    sources = unpacked(archives, cache, SOURCES) / SOURCES
    assert {name: newest_of(sources / name) for name in facts} == {name: noted[NEWEST] for name, noted in facts.items()}
