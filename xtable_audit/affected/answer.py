"""What is said of a source table and one target of XTable's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xtable_audit.affected.affected import Affected
from xtable_audit.affected.releases import XTableRelease
from xtable_audit.affected.weighed import Weighed


@dataclass(frozen=True)
class TargetAnswer:
    """Of what `release` writes as its target."""

    release: XTableRelease
    found: Sequence[Affected]
    weighed: Weighed
    refused: str
    """Why the release translates the table at no time, in a sentence; else empty."""

    @property
    def fails(self) -> bool:
        return bool(self.weighed.failing or self.refused)
