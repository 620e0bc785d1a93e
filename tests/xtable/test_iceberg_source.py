"""XTable reads Iceberg tables that are found as Hadoop's, and writes a Delta log beside their metadata."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.provision.history import put_in_place
from lab.provision.sources.known import FORMATS
from lab.stack.jars import is_resolvable
from lab.stack.versions import releases
from lab.store.address import BUCKET, prefix_of
from lab.store.disk import Disk
from tests.spark_jobs.test_iceberg_tables import written
from xtable.sync import Translator
from xtable.writer import KERNEL
from xtable_audit.formats.registered import read_stored
from xtable_audit.model.objects import Objects

NEWEST = releases()[0]

pytestmark = [
    pytest.mark.jvm,
    pytest.mark.slow,
    pytest.mark.skipif(not is_resolvable(NEWEST), reason=f"XTable {NEWEST} does not resolve here"),
]


@pytest.mark.parametrize("name", ["iceberg_append", "iceberg_partition_overwritten"])
def test_a_table_is_translated_where_it_is_mounted(name: str, tmp_path: Path) -> None:
    stages, prefix = written(name), prefix_of(name)
    disk = Disk(tmp_path / "run", BUCKET)
    with (
        disk.in_translation(prefix, KERNEL.id) as mounted,
        Translator.start(NEWEST, mounted, tmp_path / "logs") as translator,
    ):
        for stage in (stages / "1", stages / "2"):
            put_in_place(mounted, prefix, stage, writer=KERNEL)
            before = mounted.versions(f"{prefix}/metadata")
            synced = translator.sync("ICEBERG_SOURCE", mounted.uri(prefix), name, writer=KERNEL)
            paths = read_stored(Objects(mounted.filesystem), synced.metadata_location).paths
            live = FORMATS["ICEBERG_SOURCE"].live_files(stage)
            assert {*paths} == {mounted.uri(f"{prefix}/{one}") for one in live}
            assert mounted.versions(f"{prefix}/metadata") == before
