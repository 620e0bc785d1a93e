"""A source of tables in one file: an Iceberg table on this disk. `-p tests.whole_runs.elsewhere` offers it to a run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from lab.provision import providers
from lab.provision.plan import Plan
from lab.provision.provider_protocol import Tools
from lab.store.address import Addresses
from lab.subjects.table import Offer, Table
from xtable_audit.access.access import Access
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.subject.case import UNKNOWN_SOURCE, read_case

LOCATION = "METADATA_LOCATION"


@dataclass(frozen=True)
class Found:
    """A table of which its metadata.json is known, and nothing else."""

    metadata_location: str
    in_store = True
    prefixes = ()

    def judged(self, offer: Offer, objects: Objects, store: Addresses) -> Table:
        location = self.metadata_location
        table = Table(offer, Access().objects(location), location, "live")
        try:
            return replace(table, case=read_case(table.objects, table.id, location, UNKNOWN_SOURCE))
        except Malformed as error:
            return replace(table, unreadable=str(error), malformed=error)


class Elsewhere:
    def offers(self, plan: Plan) -> Iterator[Offer]:
        yield Offer(SubjectId("orders", "unknown"), "foreign")

    def build(self, offer: Offer, tools: Tools) -> Found:
        return Found(os.environ[LOCATION])


@pytest.hookimpl(tryfirst=True)
def pytest_configure() -> None:
    """Of a run that takes this file for a plugin: a test that imports it adds no table to its own process."""
    providers.PROVIDERS += (Elsewhere(),)
