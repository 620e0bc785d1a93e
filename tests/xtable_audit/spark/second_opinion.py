"""What Spark's SQL says of a column of a file beside what the judge does, and what explains that they differ."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Said:
    """Of one column of one file. Timestamps are in microseconds, dates in days since 1970."""

    least: Any
    greatest: Any
    rows: int
    present: int
    """Rows that are not null."""
    nan: int = 0

    def differs(self, other: Said) -> bool:
        """The type of an extreme counts, and the sign of zero."""
        counts = (self.rows, self.present, self.nan) == (other.rows, other.present, other.nan)
        return not (counts and _same(self.least, other.least) and _same(self.greatest, other.greatest))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        both_nan = math.isnan(one) and math.isnan(other)
        return both_nan or (one == other and math.copysign(1, one) == math.copysign(1, other))
    return type(one) is type(other) and bool(one == other)


def _nan(judge: Said, spark: Said) -> Said:
    """The judge leaves NaN out of the extremes, as Iceberg does."""
    if not judge.nan:
        return judge
    return replace(judge, greatest=math.nan, least=math.nan if judge.nan == judge.present else judge.least)


def _zero(judge: Said, spark: Said) -> Said:
    """The judge puts -0.0 before 0.0, as Iceberg does; Spark takes the one that it met first."""

    def zero(mine: Any, theirs: Any) -> Any:
        return theirs if isinstance(mine, float) and mine == theirs == 0 else mine

    return replace(judge, least=zero(judge.least, spark.least), greatest=zero(judge.greatest, spark.greatest))


RULES: Mapping[str, Callable[[Said, Said], Said]] = {
    "NaN is the greatest number to Spark": _nan,
    "-0.0 equals 0.0 to Spark": _zero,
}
"""What the judge said, as Spark would say it, by the name of the reason."""


NO_ROWS = Said(None, None, 0, 0)
Where = tuple[str, str]
"""A file, and the path of a column."""


@dataclass
class Comparison:
    otherwise: list[Where] = field(default_factory=list)
    """What no rule explains."""
    explained: Counter[str] = field(default_factory=Counter)
    """Columns of a file, by the rule that explains how they differ."""

    @classmethod
    def of(cls, judge: Mapping[Where, Said], spark: Mapping[Where, Said]) -> Comparison:
        """Spark has no group for a file without rows."""
        found = cls()
        for where, mine in judge.items():
            theirs = spark.get(where, NO_ROWS)
            for name, rule in RULES.items():
                told = rule(mine, theirs)
                found.explained[name] += told.differs(mine)
                mine = told
            if mine.differs(theirs):
                found.otherwise.append(where)
        return found


def spoilt(judge: Mapping[Where, Said], metric: str) -> tuple[Where, dict[Where, Said]]:
    """The same with another `metric` in the first place that has numbers; and that place."""
    where, said = next((where, said) for where, said in judge.items() if isinstance(said.least, int))
    return where, {**judge, where: replace(said, **{metric: getattr(said, metric) + 1})}
