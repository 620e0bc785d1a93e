"""What of a table is read: a sample of its files, those that an older state had not, or some of its columns."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.formats.target import TargetFormat
from xtable_audit.model.figures import many
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.model.scalars import Mask, mask_of
from xtable_audit.table.stored_metrics import StoredMetrics

FEW = 0.1
"""Maximum share of files for which a look is odd: what most files have is the table's way."""
PER_LOOK = 2
"""Maximum number of files that are read for one odd look of one column."""
RULE_OF_THREE = 3
FAR = 10.0
"""Distance from the median, in times of the middle half's width, beyond which a bound is out of line."""


@dataclass(frozen=True)
class Sample:
    """Places of files in the stored metrics, in their order. `drawn` and `odd` are disjoint."""

    drawn: tuple[int, ...]
    odd: tuple[int, ...]
    files: int
    """Number of files in the table."""
    seed: int

    @property
    def places(self) -> tuple[int, ...]:
        return tuple(sorted((*self.drawn, *self.odd)))

    def __str__(self) -> str:
        """What was read, and what that can and cannot show."""
        return f"Values of {self.read} {self.shows}"

    @property
    def read(self) -> str:
        """Which files, as the end of a sentence."""
        odd = f" and {len(self.odd)} whose stored metrics look odd" if self.odd else ""
        read = f"{len(self.places):,} of {many(self.files, 'file')} are compared: "
        return read + f"{len(self.drawn):,} drawn at random (seed {self.seed}){odd}."

    @property
    def shows(self) -> str:
        """If a fault is in a share p of the files, n files drawn at random miss it with (1 - p)^n, which is below 5 %
        from p = 3/n on. Drawing one file from each of n equal parts misses it no more often.
        """
        if len(self.drawn) <= RULE_OF_THREE:
            return "So few say nothing about the other files."
        share = RULE_OF_THREE / len(self.drawn)
        return (
            f"A fault that none of the {len(self.drawn):,} has is in at most {100 * share:.2g} % of all files "
            "(95 % confidence). No sample shows that every file is right."
        )


def draw(stored: StoredMetrics, number: int, seed: int) -> Sample:
    """`number` files drawn at random, and at most as many more that look odd.

    The files are put in the order of partition, size and age and cut into `number` equal parts, and one is drawn from
    each. So each file is as likely as any other, and none of these crowds out the rest.
    """
    files = stored.files.num_rows
    if number >= files:
        return Sample(tuple(range(files)), (), files, seed)
    chance = random.Random(seed)
    order = _order(stored)
    edges = [part * files // number for part in range(number + 1)]
    drawn = {order[chance.randrange(low, high)] for low, high in pairwise(edges)}
    odd = [place for place in looks_odd(stored) if place not in drawn][:number]
    return Sample(tuple(sorted(drawn)), tuple(sorted(odd)), files, seed)


def within(stored: StoredMetrics, most: int, seed: int, number: int) -> Sample:
    """A sample of at most `number` files, with at most `most` bytes together. Raises Problem if one file has more."""
    sizes = np.asarray(stored.files["size"].fill_null(0))
    while number:
        sample = draw(stored, number, seed)
        size = int(sizes[list(sample.places)].sum())
        if size <= most:
            return sample
        number = min(number - 1, number * most // size)
    raise Problem(f"a data file of the table has more than the {most:,} bytes that may be read; allow more, or none")


def _order(stored: StoredMetrics) -> list[int]:
    """Places by partition, size class (powers of four) and age: manifests list files in the order of writing."""
    tuples = [[""] * stored.files.num_rows]
    tuples += [
        [str(value) for value in one.tuples[field.name].to_pylist()]
        for one in stored.partitionings
        for field in one.spec
        if field.name in one.tuples.column_names
    ]
    sizes = [(size or 0).bit_length() // 2 for size in stored.files["size"].to_pylist()]
    return sorted(range(len(sizes)), key=lambda place: ([of[place] for of in tuples], sizes[place], place))


def looks_odd(stored: StoredMetrics) -> list[int]:
    """Places of files whose stored metrics differ from those of most files, in the order in which they are found."""
    found: dict[int, None] = {}
    for mask in _looks(stored):
        places = np.flatnonzero(mask)
        if 0 < len(places) <= max(1, FEW * len(mask)):
            found |= dict.fromkeys(places[:PER_LOOK].tolist())
    return list(found)


def _looks(stored: StoredMetrics) -> Iterator[Mask]:
    """For each odd look, the files that have it."""
    yield mask_of(pc.equal(stored.files["record_count"], 0))
    for column in stored.columns.values():
        counted = pc.greater(column["value_count"], 0)
        nulls = pc.equal(column["null_count"], column["value_count"])
        absent = pc.or_(pc.is_null(column["lower"]), pc.is_null(column["upper"]))
        yield mask_of(pc.equal(column["value_count"], 0))
        yield mask_of(pc.and_(counted, nulls))
        yield mask_of(absent) & ~mask_of(nulls)
        yield mask_of(pc.is_null(column["value_count"]))
        for side in ("lower", "upper"):
            numbers = _numbers(column[side])
            if numbers is not None:
                yield numbers == 0
                yield _out_of_line(numbers)


def _out_of_line(numbers: np.ndarray[Any, np.dtype[np.float64]]) -> Mask:
    """Marks numbers far from the middle half of all."""
    there = numbers[np.isfinite(numbers)]
    if len(there) < 8:
        return np.zeros(len(numbers), dtype=bool)
    low, middle, high = np.percentile(there, [25, 50, 75])
    width = max(high - low, abs(middle) * 1e-9)
    if width == 0:
        return np.zeros(len(numbers), dtype=bool)
    far: Mask = np.abs(numbers - middle) > FAR * width
    return far


def _numbers(bounds: pa.ChunkedArray) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """Bounds as numbers, NaN for none; None for bounds of text, bytes and booleans."""
    kind = bounds.type
    if pa.types.is_date32(kind):
        bounds = bounds.cast(pa.int32())
    elif pa.types.is_timestamp(kind) or pa.types.is_time64(kind):
        bounds = bounds.cast(pa.int64())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        return None
    return np.asarray(bounds.cast(pa.float64(), safe=False).fill_null(float("nan")), dtype=np.float64)


@dataclass(frozen=True)
class Changed:
    """Places of files in the stored metrics, in their order."""

    places: tuple[int, ...]
    files: int
    """Number of files in the table."""
    since: str
    """The older state, in words: `snapshot 1961614613955196769`."""

    def __str__(self) -> str:
        read = f"Values of {len(self.places):,} of {many(self.files, 'file')} are compared"
        return f"{read}: those that {self.since} did not have. They say nothing about the others."


def changed(target: TargetFormat, objects: Objects, stored: StoredMetrics, since: int) -> Changed:
    """Raises Problem for an unknown state, and Malformed."""
    if target.check.since is None:
        raise Problem(f"--since: the newest {target.commit} alone of a {target.title} table can be read")
    new = target.check.since(objects, stored, since)
    return Changed(tuple(np.flatnonzero(new).tolist()), len(new), f"{target.commit} {since}")


def of_columns(stored: StoredMetrics, named: Collection[str]) -> StoredMetrics:
    """The same metadata with these columns alone; a struct stands for all columns in it. Raises Problem."""
    kept = {leaf.path for leaf in stored.leaves if any(_is_in(leaf.path, name) for name in named)}
    every = [leaf.path for leaf in stored.leaves]
    for name in named:
        if not any(_is_in(path, name) for path in every):
            close = get_close_matches(name, every, n=1)
            hint = f"did you mean {close[0]}?" if close else f"it has {', '.join(every[:8])}"
            raise Problem(f"the table has no column {name} whose values can be judged; {hint}")
    return replace(
        stored,
        leaves=tuple(leaf for leaf in stored.leaves if leaf.path in kept),
        columns={path: table for path, table in stored.columns.items() if path in kept},
        column_sizes={path: sizes for path, sizes in stored.column_sizes.items() if path in kept},
    )


def _is_in(path: str, name: str) -> bool:
    return path == name or path.startswith(f"{name}.")
