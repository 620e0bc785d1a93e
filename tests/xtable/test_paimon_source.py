"""XTable reads Paimon tables in a store, with Paimon's own classes beside its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.provision.history import put_in_place
from lab.provision.sources.known import FORMATS
from lab.stack.cache import Cache
from lab.stack.jars import is_resolvable, resolve_xtable_jars
from lab.stack.packages import installed
from lab.stack.versions import paimon_packages, releases
from lab.store.disk import Disk
from tests.kept import kept
from tests.spark_jobs.test_paimon_tables import write_named
from xtable.sync import Translator
from xtable_audit.formats.registered import read_stored
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem

PREFIX = "tables/t"
FIRST = [one for one in releases() if one.paimon][-1]
"""The first release that reads such tables."""
PAIMON = ("PAIMON",)

pytestmark = [
    pytest.mark.jvm,
    pytest.mark.slow,
    pytest.mark.skipif(not is_resolvable(FIRST), reason=f"XTable {FIRST} does not resolve here"),
]


@pytest.fixture(scope="module", autouse=True)
def library() -> None:
    try:
        installed("pypaimon", paimon_packages(), Cache())
    except Problem as problem:
        pytest.skip(str(problem))


def test_paimons_classes_are_on_the_class_path_of_runs_that_need_them_alone() -> None:
    usual, more = resolve_xtable_jars(FIRST), resolve_xtable_jars(FIRST, sources=PAIMON)
    assert [jar for jar in more if jar not in usual] == [jar for jar in more if jar.name.startswith("paimon-bundle")]
    assert [jar for jar in more if jar in usual] == [*usual]


def test_a_table_is_translated_where_it_is_mounted(tmp_path: Path) -> None:
    written, _ = kept(write_named, "spark_jobs.battery.paimon_table", name="paimon_append")
    disk = Disk(tmp_path / "run", "lake")
    with (
        disk.in_translation(PREFIX) as mounted,
        Translator.start(FIRST, mounted, tmp_path / "logs", sources=PAIMON) as translator,
    ):
        for stage in (written / "1", written / "2"):
            put_in_place(mounted, PREFIX, stage)
            synced = translator.sync("PAIMON", mounted.uri(PREFIX), "t")
            paths = read_stored(Objects(mounted.filesystem), synced.metadata_location).paths
            assert {*paths} == {mounted.uri(f"{PREFIX}/{name}") for name in FORMATS["PAIMON"].live_files(stage)}


def test_a_class_path_without_paimon_is_not_xtables_fault(tmp_path: Path) -> None:
    written, _ = kept(write_named, "spark_jobs.battery.paimon_table", name="paimon_plain")
    disk = Disk(tmp_path / "run", "lake")
    with disk.in_translation(PREFIX) as mounted, Translator.start(FIRST, mounted, tmp_path / "logs") as translator:
        put_in_place(mounted, PREFIX, written / "1")
        with pytest.raises(Problem, match=r"its class path, as Maven resolves it, lacks org\.apache\.paimon"):
            translator.sync("PAIMON", mounted.uri(PREFIX), "t")
