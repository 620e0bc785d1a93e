"""Hudi's laboratory: tables with Hudi's own indexes, and the answers of Hudi's own reader."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from lab.provision.hudi.kept import HudiTable, kept
from lab.provision.hudi.recorded import digest_of, recorded
from lab.provision.plan import Plan
from lab.provision.providers.provider import Tools
from lab.stack.cache import Cache
from lab.subjects.hudi_tables import HudiSpec, hudi_specs
from lab.subjects.table import OWN_INDEXES, Offer
from spark_jobs.launch import SHIPS


@dataclass(frozen=True)
class Laboratory:
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def offers(self, plan: Plan) -> Iterator[Offer]:
        for spec in hudi_specs():
            family = "shipping" if spec.dataset in SHIPS else "laboratory"
            yield Offer(spec.id, family, spec, metadata=OWN_INDEXES, versions={"hudi": spec.release})

    def build(self, offer: Offer, tools: Tools) -> HudiTable:
        spec, plan = offer.entry, tools.plan
        with self._one_at_a_time:
            if plan.recorded or plan.hudi == "auto":
                table = kept(recorded(str(offer.id), spec.release, Cache()), "recorded")
                if plan.recorded or table.subject == digest_of(spec, plan.shipping):
                    return table
            lab = tools.lab()
            entries = [announced.entry for announced in tools.announced()]
            lab.announce(entry for entry in entries if isinstance(entry, HudiSpec))
            return kept(lab.folder(spec), "live")
