"""What decodes the Avro of a manifest, beside DataFusion. Libraries that are not installed are left out."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

from tools.benchmarks.listed import A_MANIFEST, listed
from xtable_audit.formats.iceberg.avro import InflatedPart, decoded, inflated_parts, long
from xtable_audit.model.limits import LIMITS

TIMES = 3
"""Runs of each, of which the fastest counts."""


def measure(scale: float) -> Iterator[str]:
    """One manifest of Iceberg's default size, whatever the scale."""
    with tempfile.TemporaryDirectory() as folder:
        listed(Path(folder), A_MANIFEST)
        [manifest] = Path(folder).glob("metadata/*-m0.avro")
        parts = list(inflated_parts(manifest.read_bytes(), LIMITS))
        plain = Path(folder) / "plain.avro"
        plain.write_bytes(_file(parts))
        decoders = {"datafusion": lambda: [decoded(part) for part in parts], **_others(plain, manifest)}
        seconds = {name: _least(decode) for name, decode in decoders.items() if find_spec(name)}
    yield f"{sum(part.records for part in parts):,} entries, {len(parts)} parts"
    for name, taken in seconds.items():
        yield f"{name:<16} {taken:6.2f} s   {taken / seconds['datafusion']:5.1f} times"


def _others(plain: Path, manifest: Path) -> Mapping[str, Callable[[], object]]:
    """Each by the name of its module. `pyiceberg` and `pyiceberg_core` inflate the manifest themselves."""
    content, raw = plain.read_bytes(), manifest.read_bytes()
    return {
        "polars": lambda: import_module("polars").read_avro(BytesIO(content)).to_arrow(),
        "polars_avro": lambda: import_module("polars_avro").read_avro(str(plain)).to_arrow(),
        "rugo": lambda: list(import_module("rugo.avro").read_avro(content, max_threads=1).__enter__()),
        "duckdb": lambda: _duckdb(plain),
        "pyiceberg": lambda: _pyiceberg(manifest),
        "fastavro": lambda: list(import_module("fastavro").reader(BytesIO(content))),
        "pyiceberg_core": lambda: list(import_module("pyiceberg_core.manifest").read_manifest_entries(raw).entries()),
        "cavro": lambda: list(import_module("cavro").ContainerReader(BytesIO(content))),
    }


def _duckdb(plain: Path) -> object:
    from xtable_audit.readers.duckdb_reader import extension_file

    connection = import_module("duckdb").connect(config={"threads": 1})
    connection.load_extension(str(extension_file("avro")))
    return connection.execute(f"SELECT * FROM read_avro('{plain}')").to_arrow_table()


def _pyiceberg(manifest: Path) -> object:
    from pyiceberg.avro.file import AvroFile
    from pyiceberg.io.pyarrow import PyArrowFileIO
    from pyiceberg.typedef import Record

    with AvroFile[Record](PyArrowFileIO().new_input(f"file://{manifest}")) as entries:
        return list(entries)


def _file(parts: list[InflatedPart]) -> bytes:
    """The file that DataFusion gets in parts, without a codec, as one."""
    written = [parts[0].header]
    for part in parts:
        content = b"".join(part.blocks)
        written += [long(part.records), long(len(content)), content, part.sync]
    return b"".join(written)


def _least(decode: Callable[[], object]) -> float:
    def once() -> float:
        started = time.process_time()
        decode()
        return time.process_time() - started

    return min(once() for _ in range(TIMES))
