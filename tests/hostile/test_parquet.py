"""A Parquet file of absurd sizes is one sentence, before a page of it is read."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from lab.stack.project import ROOT
from tests.hostile.conftest import Hostile
from xtable_audit.cli.main import cli
from xtable_audit.model.limits import MIB, Limits
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.outcome import Outcome
from xtable_audit.report.document import Document

ROWS = 12345


def varint(number: int) -> bytes:
    """A long as Thrift's compact protocol has it, after the header of its field."""
    number, encoded = number << 1, bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return b"\x16" + bytes([*encoded, number])


def footer(file: Path, change: Callable[[bytes], bytes]) -> None:
    content = file.read_bytes()
    length = int.from_bytes(content[-8:-4], "little")
    changed = change(content[-8 - length : -8])
    file.write_bytes(content[: -8 - length] + changed + len(changed).to_bytes(4, "little") + content[-4:])


def claiming(rows: int) -> Callable[[Path], None]:
    def spoil(file: Path) -> None:
        table = pa.table({"id": range(ROWS)}).cast(pa.schema([pa.field("id", pa.int64())]))
        pq.write_table(table, file)
        footer(file, lambda content: content.replace(varint(ROWS), varint(rows)))

    return spoil


def with_length(length: int) -> Callable[[Path], None]:
    def spoil(file: Path) -> None:
        content = file.read_bytes()
        file.write_bytes(content[:-8] + length.to_bytes(4, "little") + content[-4:])

    return spoil


def with_long_footer(file: Path) -> None:
    """A legal one: the words are kept twice, once in Arrow's own form."""
    pq.write_table(pq.read_table(file).replace_schema_metadata({"words": "a" * 2 * MIB}), file)


def of_less_than_nothing(file: Path) -> None:
    pq.write_table(pa.table({"id": pa.array(range(ROWS), pa.int64())}), file, compression="zstd", use_dictionary=False)
    size = pq.read_metadata(file).row_group(0).column(0).total_uncompressed_size
    footer(file, lambda content: content.replace(varint(size), varint_below(size)))


def varint_below(number: int) -> bytes:
    """The negative of a number, of as many bytes."""
    encoded = bytearray(varint(number))
    encoded[1] |= 1  # zigzag
    return bytes(encoded)


ABSURD: dict[str, tuple[Callable[[Path], None], str]] = {
    "2 ** 60 rows": (claiming(1 << 60), "its footer claims 1,152,921,504,606,846,976 rows"),
    "2 ** 40 rows": (claiming(1 << 40), "its footer claims 1,099,511,627,776 rows"),
    "more rows than its pages hold": (claiming(ROWS * 1000), "holds 12,345 rows where its footer claims 12,345,000"),
    "a footer longer than the file": (with_length(1 << 31), "is not the Parquet file the metadata describes"),
    "a footer of no bytes": (with_length(0), "cannot be read as Parquet"),
    "a column less than nothing": (of_less_than_nothing, "its footer claims a column of -"),
    "nothing": (lambda file: os.truncate(file, 0), "is not the Parquet file the metadata describes"),
}


@pytest.mark.parametrize(("spoil", "words"), ABSURD.values(), ids=ABSURD)
def test_an_absurd_file_is_one_sentence(hostile: Hostile, spoil: Callable[[Path], None], words: str) -> None:
    spoil(hostile.data)
    with pytest.raises(Malformed) as refused:
        hostile.case(limits=Limits(metadata=16 * MIB))
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_rows_that_no_column_proves_are_not_counted_for_ever(hostile: Hostile) -> None:
    """A file that holds none of the table's columns has nothing to decode, and as many rows as it claims."""
    table = pa.table({"other": range(ROWS)}).cast(pa.schema([pa.field("other", pa.int64())]))
    pq.write_table(table, hostile.data)
    footer(hostile.data, lambda content: content.replace(varint(ROWS), varint(1 << 50)))
    with pytest.raises(Malformed, match="its footer claims"):
        hostile.case()


def with_gzip_bomb(file: Path) -> None:
    """Sixty-four mebibytes of zeros, which take some kibibytes."""
    zeros = pa.table({"id": pa.array(np.zeros(8 * MIB, np.int64))})
    pq.write_table(zeros, file, compression="gzip", use_dictionary=False, row_group_size=8 * MIB)


LEGAL: dict[str, tuple[Callable[[Path], None], str]] = {
    "a footer beyond the limit": (with_long_footer, "its footer has 4,"),
    "a row group that inflates beyond the limit": (with_gzip_bomb, "by its footer, row group 0 inflates to 67,"),
}


@pytest.mark.parametrize(("spoil", "words"), LEGAL.values(), ids=LEGAL)
def test_what_may_be_legal_is_inconclusive_and_names_the_option(
    hostile: Hostile, spoil: Callable[[Path], None], words: str
) -> None:
    spoil(hostile.data)
    document = judged(hostile, "--max-metadata", "1")
    [why] = [one.reason for one in document.claims if one.outcome is Outcome.INCONCLUSIVE]
    assert words in str(why)
    assert str(why).endswith("raise it with --max-metadata MiB if you trust the table")


@pytest.mark.parametrize("spoil", [one for one, _ in LEGAL.values()], ids=LEGAL)
def test_a_higher_limit_reads_it(hostile: Hostile, spoil: Callable[[Path], None]) -> None:
    spoil(hostile.data)
    assert judged(hostile, "--max-metadata", "128").count(Outcome.INCONCLUSIVE) == 0


def test_a_file_that_may_be_legal_alone_ends_with_6(hostile: Hostile) -> None:
    with_long_footer(hostile.data)
    size = hostile.data.stat().st_size
    hostile.change_entries(lambda entries: entries[0]["data_file"].update(file_size_in_bytes=size))
    assert judged(hostile, "--max-metadata", "1", "--claim", "bounds_contain_values").exit_status == 6


def test_values_that_outgrow_the_memory_end_in_one_sentence(hostile: Hostile) -> None:
    """A megabyte, eight thousand times, in a file of some hundred bytes: 8 GiB if it were decoded at once."""
    once = pa.DictionaryArray.from_arrays(np.zeros(8_192, np.int32), pa.array(["x" * MIB]))
    options = {"compression": "zstd", "store_schema": False, "dictionary_pagesize_limit": 1 << 30}
    pq.write_table(pa.table({"city": once}), hostile.data, **options)
    ran = limited(f"sys.argv = ['xtable-audit', 'check', '{hostile.metadata}', '--json', '--no-cache']; main()")
    assert (ran.returncode in (1, 6), "Traceback" in ran.stderr) == (True, False), ran.stderr
    assert int(ran.stdout.split()[-1]) < 2 << 10


def test_a_library_that_dies_is_one_sentence() -> None:
    ran = limited("sys.exit(guarded(os.abort))")
    assert (ran.returncode, ran.stderr.splitlines()[-1][:33]) == (6, "the check died of signal SIGABRT:")


def limited(script: str) -> subprocess.CompletedProcess[str]:
    """Runs it with a gibibyte for values; the last word of its output is the most memory of its child, in MiB."""
    before = (
        "import atexit, os, resource, sys; from functools import partial; import xtable_audit.check.values as values\n"
        "from xtable_audit.model.memory import bounded; from xtable_audit.cli.main import main, guarded\n"
        "values.bounded = partial(bounded, 1 << 30)\n"
        "peak = lambda: print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)\n"
        "atexit.register(peak)\n"
    )
    command = [sys.executable, "-c", before + script]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def judged(hostile: Hostile, *options: str) -> Document:
    ran = CliRunner().invoke(
        cli,
        ["check", str(hostile.metadata), "--json", "--no-cache", *options, "--out", str(hostile.root.parent / "out")],
    )
    return Document.from_json(ran.stdout)
