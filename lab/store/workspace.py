"""The workspace: the bucket in which the suite writes and deletes."""

from __future__ import annotations

from dataclasses import dataclass

from lab.store.addresses import Addresses
from xtable_audit.access.s3 import S3

BUCKET = "xtable-audit"


@dataclass(frozen=True)
class Workspace(S3, Addresses):
    """The suite's own bucket. `lab.store.objects` puts and deletes its objects."""

    bucket: str = BUCKET
