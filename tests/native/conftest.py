"""What writers of Iceberg's own left, judged: each table once, when a test asks for it."""

from __future__ import annotations

from functools import cache

import pytest
from pyarrow import fs
from pyiceberg.table import StaticTable

from audit.objects import Objects
from readers.planners import plan_table
from tests.native.held import Held, HeldOf
from tests.native.histories import HISTORIES
from tests.native.partitions import PARTITIONS
from tests.native.spark_run import written_by_spark
from tests.native.values import VALUES

BY_SPARK = {entry.name: entry for entry in (*VALUES, *PARTITIONS, *HISTORIES)}


@pytest.fixture(scope="module")
def of_spark(tmp_path_factory: pytest.TempPathFactory) -> HeldOf:
    """A table that Iceberg's writer in Spark wrote, on local disk."""
    written = written_by_spark(tuple(BY_SPARK.values()), tmp_path_factory.mktemp("native"))
    objects = Objects(fs.LocalFileSystem())

    @cache
    def held(name: str) -> Held:
        return Held(
            written[name],
            objects,
            lambda location, asked: plan_table(StaticTable.from_metadata(location), asked),
            BY_SPARK[name].spec,
        )

    return held
