"""Of which syncs the Delta log counts the nulls of a map's keys and values (XTF-075), and of which of nothing in it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from lab.stack.versions import releases
from tests.xtable.test_recorded_edges import packed
from xtable.sync import Translator
from xtable.writer import KERNEL, STANDALONE, Writer

pytestmark = pytest.mark.jvm

COUNTED, LEFT_OUT = {dict}, {type(None)}
SYNCS = {
    "Standalone, by the footers": (STANDALONE, "types_lists_plain", COUNTED),
    "Standalone, by Hudi's index": (STANDALONE, "types_lists_index", LEFT_OUT),
    "Kernel, by the footers": (KERNEL, "types_lists_plain", LEFT_OUT),
    "Kernel, by Hudi's index": (KERNEL, "types_lists_index", LEFT_OUT),
}


@pytest.mark.parametrize("translator", [releases()[0].version], indirect=True)
@pytest.mark.parametrize(("writer", "name", "kinds"), SYNCS.values(), ids=SYNCS.keys())
def test_only_standalone_counts_in_maps_and_only_by_the_footers(
    translator: Translator, tmp_path: Path, writer: Writer, name: str, kinds: set[type]
) -> None:
    table = shutil.copytree(packed() / name, tmp_path / name)
    translator.sync("HUDI", str(table), name, writer=writer)
    assert counted(table) == kinds


@pytest.mark.parametrize("translator", [releases()[0].version], indirect=True)
def test_once_the_log_is_moved_away_kernel_leaves_them_out(translator: Translator, tmp_path: Path) -> None:
    name = "types_lists_plain"
    table = shutil.copytree(packed() / name, tmp_path / name)
    translator.sync("HUDI", str(table), name, writer=STANDALONE)
    translator.sync("HUDI", str(table), name, writer=KERNEL)
    assert counted(table) == COUNTED
    shutil.move(table / KERNEL.folder, tmp_path / "moved")
    translator.sync("HUDI", str(table), name, writer=KERNEL)
    assert counted(table) == LEFT_OUT


def counted(table: Path) -> set[type]:
    """Of which types a map's null counts are, in the files of the table's first commit."""
    log = table / KERNEL.folder / f"{0:020}.json"
    logged = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    counts = [json.loads(one["add"]["stats"])["nullCount"] for one in logged if "add" in one]
    assert all("record_key" in one for one in counts)
    return {type(one.get("kv")) for one in counts}
