"""Which file holds which ZIP codes. Pure arithmetic, no Spark: the table is exactly this, at every scale.

The published measurement (hudi.apache.org, blog of 22 October 2025) gives two numbers of its table: 393,360 files, of
which 19,304 are read for ZIP code 10001. New York gets that share of the files here, the other states the rest evenly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from spark_jobs.shipping.states import PREFIXES, zip_range
from xtable_audit.model.problem import Problem

PUBLISHED_FILES = 393_360
PUBLISHED_READ = 19_304

HIT_STATE = "NY"
HIT_ZIP = "10001"
"""The ZIP code of the published query. It is New York's first, and no other state's."""

DEFAULT_ONE_IN = 400
DEFAULT_ROWS = 4
LEAST_FILES = 52
LEAST_ROWS = 2

Zips = Literal["random", "sorted"]
ZIPS: tuple[Zips, ...] = get_args(Zips)

# Knuth's multiplicative hash, 2^32 / golden ratio: neighbours land far apart, and the sequence covers its range evenly.
GOLDEN = 2_654_435_761
WORD = 1 << 32


def one_in(scale: float) -> int:
    """Files at a scale of one in so many: 400 is 983 files, 1 the published 393,360.

    Raises Problem for a scale that is not positive.
    """
    if not scale > 0:
        raise Problem(f"--one-in must be a positive number (1 is the published 393,360 files), not {scale:g}.")
    return round(PUBLISHED_FILES / scale)


def hit_files(total: int) -> int:
    """New York's files among `total`, rounded to the nearest: 48 of 983, 19,304 of 393,360."""
    return (total * PUBLISHED_READ + PUBLISHED_FILES // 2) // PUBLISHED_FILES


def files_of(state: str, total: int) -> int:
    """The files of a state in a table of `total`. Other states than New York differ by one file at most."""
    if state == HIT_STATE:
        return hit_files(total)
    others = [other for other in PREFIXES if other != HIT_STATE]
    each, more = divmod(total - hit_files(total), len(others))
    return each + (others.index(state) < more)


@dataclass(frozen=True)
class Layout:
    """The table's size and order. `random`: every file spans its whole state; `sorted`: each has a part of it.

    Raises Problem for sizes that leave a state without a file, or a file without two rows to span its state.
    """

    files: int
    rows_per_file: int = DEFAULT_ROWS
    zips: Zips = "random"

    def __post_init__(self) -> None:
        if self.files < LEAST_FILES:
            raise Problem(f"{self.files} files are too few: with fewer than {LEAST_FILES} some state has none.")
        if self.rows_per_file < LEAST_ROWS:
            raise Problem(f"--rows-per-file must be at least {LEAST_ROWS}: a file's first and last ZIP code.")

    @property
    def rows(self) -> int:
        return self.files * self.rows_per_file

    @cached_property
    def files_by_state(self) -> dict[str, int]:
        return {state: files_of(state, self.files) for state in PREFIXES}

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The number of each state's first file; files are numbered state by state."""
        starts, following = [], 0
        for files in self.files_by_state.values():
            starts.append(following)
            following += files
        return tuple(starts)

    def zip_of(self, state: str, file: int, row: int) -> str:
        """The ZIP code of a row (from 0) in the state's `file` (from 0)."""
        low, high = zip_range(state)
        number = file * self.rows_per_file + row
        if self.zips == "sorted":
            last = files_of(state, self.files) * self.rows_per_file - 1
            return f"{low + number * (high - low) // last:05}"
        if row == 0:
            return f"{low:05}"
        if row == self.rows_per_file - 1:
            return f"{high:05}"
        # Between the two ends, neither of which comes again: one row a file holds the state's first ZIP code.
        return f"{low + 1 + number * GOLDEN % WORD * (high - low - 1) // WORD:05}"

    def expected(self) -> Expected:
        """What the published query must find here."""
        files = hit_files(self.files)
        if self.zips == "random":
            return Expected(listed=self.files, in_state=files, holding=files, rows=files)
        low, high = zip_range(HIT_STATE)
        # The rows before the second ZIP code begins: number * (high - low) // last == 0.
        rows = -(-(files * self.rows_per_file - 1) // (high - low))
        return Expected(listed=self.files, in_state=files, holding=-(-rows // self.rows_per_file), rows=rows)


@dataclass(frozen=True)
class Expected:
    """`select count(1) … where zip_code = '10001'`: the files that sound and sharp layers leave, and the count."""

    listed: int
    in_state: int
    """What is left by bounds of whole partitions."""
    holding: int
    """What is left by bounds of files; each of them really holds the ZIP code."""
    rows: int
