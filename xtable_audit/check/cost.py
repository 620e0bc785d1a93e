"""What reading values costs, estimated before it is spent."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.figures import in_bytes, many
from xtable_audit.scan import Power
from xtable_audit.table.stored_metrics import StoredMetrics

REQUESTS = 3
"""Requests per file: one opens it, one is for the footer, one for a row group's pages. Whether an earlier run has read
it is known by then, by a request more.
"""
OF_VECTOR = 2
"""Requests for the deletion vector that a file is read with: one opens its file, one is for the vector."""
GROUP = 128 << 20
"""Bytes of a row group, by Parquet's usual default: each takes a request more."""
DECODED = 50e6
"""Bytes of Parquet that one core decodes and compares in a second."""
PER_FILE, PER_COLUMN = 2e-3, 1e-4
"""Seconds that a core takes to open a file, and for each of its columns, however small it is."""
LATENCY = 0.05
"""Seconds that a request to a remote store takes."""
REMOTE = 100e6
"""Bytes that a remote store delivers to one machine in a second."""
GETS, GIGABYTE = 0.0004 / 1000, 0.09
"""US dollars for a request, and for a gigabyte that leaves AWS; S3 Standard, us-east-1, November 2026."""


@dataclass(frozen=True)
class ReadCost:
    """An estimate. `dollars` and `dollars_out` (if the bytes leave AWS) are None for stores other than AWS."""

    files: int
    bytes: int
    requests: int
    seconds: float
    dollars: float | None = None
    dollars_out: float | None = None

    def __add__(self, other: ReadCost) -> ReadCost:
        return ReadCost(
            max(self.files, other.files),
            self.bytes + other.bytes,
            self.requests + other.requests,
            self.seconds + other.seconds,
            None if self.dollars is None or other.dollars is None else self.dollars + other.dollars,
            None if self.dollars_out is None or other.dollars_out is None else self.dollars_out + other.dollars_out,
        )

    def __str__(self) -> str:
        about = f"{many(self.files, 'file')}, {in_bytes(self.bytes)}, about {in_time(self.seconds)}"
        if self.dollars is None or self.dollars_out is None:
            return about
        out = f"${self.dollars_out:,.2f} if they leave AWS's region"
        return f"{about}, {self.requests:,} requests for ${self.dollars:,.2f}, and {out}"


def estimate(stored: StoredMetrics, whole: StoredMetrics, power: Power, *, remote: bool, on_aws: bool) -> ReadCost:
    """The cost of reading every file of `stored`, and its delete files; `whole` has all of their columns."""
    sizes = stored.files["size"].to_pylist()
    share = _share(stored, whole)
    size = int(sum(sizes) * share)
    vectors = len(sizes) - stored.files["vector"].null_count if "vector" in stored.files.column_names else 0
    deletes = len({one.path for one in stored.deletions.files})
    requests = sum(REQUESTS + (one or 0) // GROUP for one in sizes) + OF_VECTOR * vectors + REQUESTS * deletes
    work = size / DECODED + len(sizes) * (PER_FILE + PER_COLUMN * len(stored.leaves)) + deletes * PER_FILE
    seconds = work / power.cores
    if remote:
        seconds = max(seconds, size / REMOTE / power.machines, requests * LATENCY / power.files)
    if not on_aws:
        return ReadCost(len(sizes), size, requests, seconds)
    return ReadCost(len(sizes), size, requests, seconds, requests * GETS, size / 1e9 * GIGABYTE)


def _share(stored: StoredMetrics, whole: StoredMetrics) -> float:
    """The share of the bytes that the columns of `stored` have, by the stored column sizes; 1 if they do not tell."""
    if len(stored.leaves) == len(whole.leaves):
        return 1.0
    mine, all = (sum(_sum(sizes) for sizes in one.column_sizes.values()) for one in (stored, whole))
    return mine / all if all and mine else 1.0


def _sum(sizes: pa.Array) -> int:
    return pc.sum(sizes).as_py() or 0


def in_time(seconds: float) -> str:
    if seconds < 60:
        return many(max(1, round(seconds)), "second")
    if seconds < 5400:
        return many(round(seconds / 60), "minute")
    return f"{seconds / 3600:,.1f} hours"
