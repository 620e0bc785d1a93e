"""What a target format rules where formats differ: sentences, tolerances, and claims that it has no rule for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.truncation import Side, are_truncated

Mask = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True)
class Rule:
    """What a claim rests on in one format, where it is not what the claim itself says."""

    spec: str
    """The sentence of the format's specification."""
    sentence: str = ""
    """The claim in the format's own terms; "" for the claim's own sentence."""

    def after(self, words: str) -> Rule:
        """The rule of the same claim about an earlier state."""
        return Rule(self.spec, self.sentence and f"{words}, {self.sentence}")


@dataclass(frozen=True)
class TargetRules:
    """The rules of one format. Without anything else, they are those that the claims themselves name."""

    format: str
    """iceberg, delta."""
    rules: Mapping[str, Rule] = field(default_factory=dict)
    """By the claim's id."""
    silent: Mapping[str, str] = field(default_factory=dict)
    """Claims that the format has no rule for, by id. Completes the sentence "the claim needs …"."""
    terms: Mapping[str, str] = field(default_factory=dict)
    """What the format calls what Iceberg calls so: `record_count` -> `numRecords`."""
    coarse: int = 0
    """Microseconds by which a bound of a timestamp may lie below the value that it stands for."""
    one_proof: bool = False
    """Whether a partition value is the column's value in each row of its file, so that planners prove by it and by the
    other columns' statistics at once; Iceberg's take a predicate as a whole by tuples, and again by metrics.
    """

    def term(self, name: str) -> str:
        return self.terms.get(name, name)

    def reach(self, upper: pa.ChunkedArray) -> pa.ChunkedArray:
        """The greatest value that each upper bound allows in its file."""
        if not self.coarse or not pa.types.is_timestamp(upper.type):
            return upper
        return pc.add(upper.cast(pa.int64()), self.coarse).cast(upper.type)

    def are_cut(self, bounds: pa.ChunkedArray, values: pa.ChunkedArray, side: Side) -> Mask:
        """Marks the bounds beyond their value that writers of the format cut from it; neither has nulls."""
        if pa.types.is_string(bounds.type) or pa.types.is_binary(bounds.type):
            return self.are_truncated(bounds, values, side)
        if not self.coarse or not pa.types.is_timestamp(bounds.type):
            return np.zeros(len(bounds), dtype=bool)
        apart = pc.abs(pc.subtract(bounds.cast(pa.int64()), values.cast(pa.int64())))
        near: Mask = np.asarray(pc.less_equal(apart, self.coarse))
        return near

    def are_truncated(self, bounds: pa.ChunkedArray, values: pa.ChunkedArray, side: Side) -> Mask:
        """Marks legal truncations of long texts and bytes."""
        return are_truncated(bounds, values, side)


def only_icebergs(title: str, rules: str) -> dict[str, str]:
    """`silent` of a format that has none of what Iceberg alone has: `title` and `rules` name the format, as `Delta` and
    `Delta's protocol` do.
    """
    return {
        "value_counts_are_exact": f"stored value counts, which {title} has none of",
        "nan_counts_are_exact": f"stored NaN counts, which {title} has none of",
        "no_bound_is_nan": f"a rule about NaN in bounds, which {rules} has none of",
        "zeros_are_in_total_order": f"an order of -0.0 and +0.0, which {rules} has none of",
        "bounds_are_of_values": "a rule about bounds of a column without values, which carry no information in "
        f"{title}",
        "summaries_cover_every_tuple": f"partition summaries, which {title} has none of",
    }


@runtime_checkable
class UnderRules(Protocol):
    """A subject whose metadata is of one format."""

    @property
    def rules(self) -> TargetRules: ...
