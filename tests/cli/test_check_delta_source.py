"""`xtable-audit check delta:LOCATION --source hudi:LOCATION`: a Delta table against the Hudi table it was made from."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Command, Ran, command
from tests.cli.delta_tables import over_hudi
from tests.cli.translated import told
from tests.formats.recorded import names, newest
from tools.pages.affected import recorded_sources
from xtable_audit.model.outcome import Outcome

__all__ = ["command"]
TABLE, PARTITIONED_BY = "history_upsert", "part"
OF_SOURCE = ("no_file_is_missing", "no_file_is_stale", "no_column_is_left_over")


def synced(folder: Path, *, without: int = 0) -> Path:
    """The recorded Hudi table with a Delta log over its newest files, but for some."""
    root = folder / TABLE
    shutil.copytree(recorded_sources() / TABLE, root)
    state = newest(TABLE)
    files = [root / one for one in sorted(names(state, TABLE))][without:]
    return over_hudi(root, files, json.dumps(told("hudi", state.newest)), PARTITIONED_BY)


def of_source(ran: Ran) -> dict[str, Outcome]:
    return {one.claim: one.outcome for one in ran.document.claims if one.claim in OF_SOURCE}


@pytest.mark.parametrize(
    ("without", "outcome"), [(0, Outcome.HELD), (1, Outcome.FINDING)], ids=["all files", "a file left out"]
)
def test_live_files_are_compared_with_those_of_the_instant_that_was_synced(
    tmp_path: Path, command: Command, without: int, outcome: Outcome
) -> None:
    root = synced(tmp_path, without=without)
    ran = command("check", f"delta:{root}", "--source", f"hudi:{root}", "--yes", "--json")
    assert of_source(ran)["no_file_is_missing"] is outcome, ran.err
    own = ran.document.own_table
    assert own is not None
    assert own.source is not None
    assert (own.source.format, own.source.at, own.writer) == (
        "hudi",
        newest(TABLE).newest,
        "XTable 0.3.0 or later",
    )


def test_all_that_the_source_decides_holds_of_a_right_translation(tmp_path: Path, command: Command) -> None:
    root = synced(tmp_path)
    ran = command("check", f"delta:{root}", "--source", f"hudi:{root}", "--yes", "--json")
    assert (ran.status, {*of_source(ran).values()}) == (0, {Outcome.HELD}), ran.err
