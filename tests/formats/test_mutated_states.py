"""Sources of strangers: whatever their logs hold, a state is read, or one sentence says why not."""

from __future__ import annotations

import random
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.affected.test_mutants import LONGEST, TABLES, mutant
from tests.formats.recorded import newest
from tests.of_each import of_each
from tools.pages.affected import recorded, recorded_sources
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.named_source import read_state
from xtable_audit.formats.source import SourceState, Undetermined
from xtable_audit.model.printable import printable
from xtable_audit.model.problem import Problem
from xtable_audit.table.synced import Synced

OF_LOGS = ("_delta_log/*.json", ".hoodie/*", ".hoodie/timeline/*")


@pytest.mark.parametrize("table", TABLES)
@of_each("seed", range(25), ids=lambda seed: f"mutant {seed}")
def test_a_mutant_is_told_or_refused_in_a_sentence(table: str, seed: int, tmp_path: Path) -> None:
    draw, root = random.Random(f"{table} {seed}"), tmp_path / str(seed) / table
    shutil.copytree(recorded_sources() / table, root)
    files = sorted(file for pattern in OF_LOGS for file in root.glob(pattern) if file.is_file())
    for file in draw.sample(files, min(len(files), draw.randint(1, 3))):
        file.write_bytes(mutant(file, draw))
    synced = Synced(datetime(2026, 11, 22, tzinfo=UTC), newest(table).at)
    try:
        told = read_state(recorded()[table].format.lower(), TableFolder.at(str(root)), synced, ())
    except (Problem, Undetermined) as error:
        said = printable(str(error))
        assert (0 < len(said) <= LONGEST, "\n" in said) == (True, False)
    else:
        assert isinstance(told, SourceState)
        assert isinstance(sum(size or 0 for size in told.files.values()), int)
