"""Tables that a run can audit, before they are built, and groups of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from xtable_audit.model.subject_id import ICEBERG, SubjectId

OWN_INDEXES = "hudi"
"""The metadata under audit of Hudi's laboratory: its own indexes."""


@dataclass(frozen=True)
class Offer:
    """A table that a provider can make available."""

    id: SubjectId
    family: str
    """The tables that it belongs with, in one word: `published`, `types`, `history`, …"""
    entry: Any = None
    """What the provider builds it from: a recipe, an entry of the battery, or a dataset and a release of Hudi."""
    metadata: str = ICEBERG
    """The format of the metadata under audit: a translation's, the table's own, or OWN_INDEXES."""
    control: SubjectId | None = None
    """The same files under the metadata of another translator, which helps to decide blame."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions of what writes the table, where they differ from the run's."""


@dataclass(frozen=True)
class Group:
    """The tables that a claim is checked on, chosen by their offers."""

    words: str
    """Completes the sentence "there is no table that …"."""
    has: Callable[[Offer], bool]

    def __or__(self, other: Group) -> Group:
        return Group(f"{self.words}, or {other.words}", lambda offer: self.has(offer) or other.has(offer))
