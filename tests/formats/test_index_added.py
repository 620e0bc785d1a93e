"""An index is added later if the metadata table's partitions were made at different times."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyarrow import fs

from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.hudi.facts import METADATA_TIMELINE, _added
from xtable_audit.formats.source import FactAnswer
from xtable_audit.model.objects import Objects

WITH_THE_TABLE, FIRST = "0" * 14, "20261124083922495"
LATER, LIKE_A_PARTITIONS = "20261124084000000", "20261124084129018"
"""The last one ends as the first instant of a partition does, by its milliseconds."""


@pytest.mark.parametrize(
    ("instants", "answer"),
    [
        ([f"{WITH_THE_TABLE}010", f"{WITH_THE_TABLE}011", FIRST], FactAnswer.NO),
        ([f"{WITH_THE_TABLE}010", f"{WITH_THE_TABLE}011", FIRST, LIKE_A_PARTITIONS], FactAnswer.NO),
        ([f"{WITH_THE_TABLE}010", FIRST, f"{LATER}011", LATER], FactAnswer.YES),
        ([FIRST, LIKE_A_PARTITIONS], FactAnswer.OPEN),
    ],
    ids=["together", "together, and a commit whose milliseconds look like it", "one later", "archived"],
)
def test_the_index_is_added_later(tmp_path: Path, instants: list[str], answer: FactAnswer) -> None:
    timeline = tmp_path / METADATA_TIMELINE
    timeline.mkdir(parents=True)
    for instant in instants:
        (timeline / f"{instant}.deltacommit").touch()
    assert _added(TableFolder(str(tmp_path), Objects(fs.LocalFileSystem()))).answer == answer
