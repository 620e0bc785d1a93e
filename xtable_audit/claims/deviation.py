"""Where a claim about one table's metadata breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from xtable_audit.model.claim import Claim
from xtable_audit.model.deviation_kind import DeviationKind
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Verdict
from xtable_audit.model.fingerprint import example
from xtable_audit.subject.case import Case


@dataclass(frozen=True)
class Deviation:
    """Where a claim breaks: some files and at most one column, with one file as the example."""

    places: tuple[int, ...]
    """Rows of the stored metrics."""
    saw: str
    expected: str
    column: str | None = None
    verdict: Verdict | None = None
    """Overrides the claim's verdict for this deviation."""
    unlisted: int = 0
    """Number of source files without a row in the stored metrics."""
    kind: str = ""
    """How it is wrong, if anything depends on it: a DeviationKind, or the name of the stored metric."""
    rows: int = 0
    """Rows that are lost, doubled, stale or of other values, if the claim compares rows."""
    whole: bool = False
    """Whether it is about the table as a whole, or one manifest or delete file: the number of data files then adds
    nothing.
    """
    reference: str = ""
    """The branch or tag that it is about."""
    stored: str = ""
    """What is stored there, if it tells apart two deviations of one column or of none: a type, a spec, an operation."""
    example: int | None = None
    """Of `places` the one that `saw` and `expected` describe; None if they describe no single file."""


ABSENT, FALSE, NO_OBJECT = DeviationKind.ABSENT, DeviationKind.FALSE, DeviationKind.NO_OBJECT
DESCRIBED = 1000
"""Places that are put into words: more than any table has whose findings are compared from run to run."""
TableClaim = Claim[Case, Deviation]
"""A claim about one table's metadata."""


def deviation(
    wrong: pa.Array | pa.ChunkedArray | np.ndarray[Any, Any],
    saw: Callable[[int], str],
    expected: Callable[[int], str],
    column: str | None = None,
    verdict: Verdict | None = None,
    absent: Callable[[], pa.Array | pa.ChunkedArray] | None = None,
    kind: str = "",
) -> Iterator[Deviation]:
    """One Deviation for all places where `wrong` is true (null counts as right); none if there are none.

    `absent` marks places without a stored value; they then get a separate Deviation, and others are FALSE, else they
    are of this `kind`. Only the first DESCRIBED places are put into words, to choose the example from.
    """
    mask = wrong if isinstance(wrong, np.ndarray) else np.asarray(wrong.fill_null(False))
    if not mask.any():
        return
    kinds: dict[str, Any] = {kind: mask}
    if absent is not None:
        without = np.asarray(absent())
        kinds = {ABSENT: mask & without, FALSE: mask & ~without}
    for how, here in kinds.items():
        places = tuple(np.flatnonzero(here).tolist())
        if places:
            place_of = {(saw(place), expected(place)): place for place in places[:DESCRIBED]}
            words = example(place_of)
            yield Deviation(places, *words, column, verdict, kind=how, example=place_of[words])


def other_columns(found: Sequence[Deviation], first: Deviation) -> str:
    """The columns of the others, in a clause; "" if there are none."""
    columns = sorted({d.column for d in found if d.column} - {first.column})
    listed = ", ".join(columns[:5]) + (" …" if len(columns) > 5 else "")
    return f"; also in {many(len(columns), 'other column')}: {listed}" if columns else ""


def undecodable(case: Case, why: Mapping[str, pa.Array], kind: str) -> Iterator[Deviation]:
    """One Deviation for each column with texts or bytes that are no value of its type: `why` says of each file what is
    wrong, by column; it is null where nothing is. `kind` is what a value should be: `value`, `text`.
    """
    for column, words in why.items():
        expected = f"a {kind} of type {case.stored.native.type_of(column)}"
        yield from deviation(
            np.asarray(words.is_valid()),
            saw=partial(_undecodable, case, words),
            expected=partial(_expected, expected),
            column=column,
        )


def _undecodable(case: Case, why: pa.Array, place: int) -> str:
    return f"{why[place]}, for {file_name(case, place)}"


def _expected(words: str, _: int) -> str:
    return words


def file_name(case: Case, place: int) -> str:
    return last(case.stored.files["path"][place].as_py())


def last(path: str) -> str:
    return path.rpartition("/")[2]
