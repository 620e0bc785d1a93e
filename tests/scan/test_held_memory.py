"""What is read of a data file is given back: a table of a hundred thousand small files takes the memory of one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lab.stack.project import ROOT
from tests.hostile.test_parquet import footer
from tests.scan.test_pages import LARGE, ROWS, claiming
from xtable_audit.values.parquet import open_parquet

FEW, MANY = 200, 2000
PART = 4
"""Memory may grow by this part of what all files would take that are kept: allocators give back late."""
MEASURE = """
import re, sys
from pathlib import Path
from pyarrow import fs, int64
from xtable_audit.model.objects import Objects
from xtable_audit.model.wanted import DataFile, Wanted, WantedColumn
from xtable_audit.values.measure_file import measure_file

name, wanted = sys.argv[1], Wanted(tuple(WantedColumn(id, f"c{id}", int64()) for id in range(4)))

def memory(times):
    global found
    for _ in range(times):
        found = measure_file(Objects(fs.LocalFileSystem()), DataFile(name), wanted)
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) >> 10

few = memory(int(sys.argv[2]))
print(found.record_count, found.malformed)
print(memory(int(sys.argv[3])) - few)
"""


def written(file: Path) -> Path:
    pq.write_table(pa.table({f"c{id}": range(10) for id in range(4)}), file)
    return file


def refused(file: Path) -> Path:
    """Of eight mebibytes, in a page that claims two gibibytes."""
    pq.write_table(pa.table({"c0": np.arange(ROWS)}), file, use_dictionary=False, **PAGE)
    claiming(file, "c0", (1 << 31) - 1)
    return file


PAGE: dict[str, Any] = {"data_page_size": LARGE, "max_rows_per_page": ROWS}
KINDS: dict[str, tuple[Callable[[Path], Path], int, int, int, str]] = {
    "sound": (written, FEW, MANY, 62, "10 None"),
    "refused": (refused, 10, 40, 240, "None is not the Parquet file the metadata describes: a page of c0"),
}
"""With the MiB that all files but the few would take: 35 KiB each, and 8 MiB each."""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells the memory of a process in /proc")
@pytest.mark.parametrize(("write", "few", "many", "kept", "told"), KINDS.values(), ids=KINDS)
def test_memory_does_not_grow_with_the_number_of_files(
    write: Callable[[Path], Path], few: int, many: int, kept: int, told: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", MEASURE, str(write(tmp_path / "one.parquet")), str(few), str(many)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=True)
    outcome, growth = ran.stdout.splitlines()
    assert outcome.startswith(told)
    assert int(growth) <= kept / PART


def test_a_footer_that_describes_a_column_wrongly_is_refused_before_a_page_is_read(tmp_path: Path) -> None:
    """The column is optional by the levels that its chunk counts, and required by the schema."""
    file = written(tmp_path / "misdescribed.parquet")
    footer(file, lambda content: content.replace(b"%\x02\x18\x02c3", b"%\x00\x18\x02c3"))
    with pa.OSFile(str(file)) as source, pytest.raises(OSError, match="histogram size mismatch"):
        open_parquet(source)
