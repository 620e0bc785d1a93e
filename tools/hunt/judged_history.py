"""One live trial: Spark writes a history, XTable translates it after each event, and every claim is checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from lab.provision.dataset import Dataset
from lab.provision.history import play
from lab.provision.source_tables import stages_of
from lab.provision.translator_output import Translated
from lab.stack.java import find_java
from lab.stack.versions import Release, stack
from lab.store import moto
from lab.store.address import BUCKET, Workspace, prefix_of, root_of
from lab.store.objects import delete, upload
from lab.store.tables import InStore
from lab.subjects.table import Offer, Table
from spark_jobs.battery.jars import resolve_battery_jars
from spark_jobs.battery.launch import WriteOne, writer
from spark_jobs.battery.moves import Move, played
from spark_jobs.battery.table import BatteryTable
from xtable.jvm import MODELS
from xtable.sync import Translator
from xtable_audit.access.access import Access
from xtable_audit.claims import CLAIMS
from xtable_audit.claims.deviation import Deviation
from xtable_audit.claims.readable import Opened
from xtable_audit.claims.translation.history import every_sync_comes_through
from xtable_audit.judge import judge_opened, judge_table
from xtable_audit.model.claim import Claim
from xtable_audit.model.finding import Blame, Finding
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import SubjectId

OF_A_LAYOUT = "layout"
"""Claims about the source's data layout do not concern its translation."""
SECONDS = 300
"""Bounds a hung write."""


@dataclass(frozen=True)
class TrialSession:
    """Spark, a store and XTable, all warm."""

    folder: Path
    write: WriteOne
    store: Workspace
    translator: Translator
    numbers: Iterator[int]

    def try_history(self, moves: tuple[Move, ...]) -> tuple[Finding, ...]:
        """The findings on it. Raises Problem if Spark cannot write it, which is no finding about XTable."""
        table = played(f"hunted_{next(self.numbers)}", "", moves)
        facts = self.write(table)
        if facts["failure"]:
            raise Problem(f"Spark could not write {', '.join(map(repr, moves))}: {facts['failure']}")
        dataset = self._in_store(table, facts)
        syncs = play(dataset, InStore(self.store), self.translator.release.version, lambda _: self.translator)
        versions = {"xtable": self.translator.release.version}
        offer = Offer(SubjectId(table.name, "xtable"), "drawn", table)
        objects = Access(self.store).objects(self.store.uri(dataset.prefix))
        found = findings(Translated.after(dataset, list(syncs), versions).judged(offer, objects, self.store))
        delete(self.store, dataset.prefix)
        return found

    def _in_store(self, table: BatteryTable, facts: dict[str, object]) -> Dataset:
        stages = stages_of(table, self.folder / table.name, facts)
        prefix = prefix_of(table.name)
        assert stages[-1].tree is not None
        upload(self.store, prefix, stages[-1].tree)
        return Dataset(table, prefix, stages, table.key)


@contextmanager
def opened(release: Release, folder: Path) -> Iterator[TrialSession]:
    """Everything that a history needs, at that release. Raises Problem if a part is not available."""
    with ExitStack() as parts:
        tables = folder / "tables"
        write = parts.enter_context(
            writer(
                tables,
                root=root_of(BUCKET),
                jars=resolve_battery_jars(()),
                java_home=find_java(stack().java),
                log=folder / "spark.log",
                timeout=SECONDS,
            )
        )
        store = parts.enter_context(moto.start()).store
        translator = parts.enter_context(Translator.start(release, InStore(store), folder, preload=MODELS))
        yield TrialSession(tables, write, store, translator, count(1))


def findings(table: Table) -> tuple[Finding, ...]:
    """A finding for every claim and every sync that fails."""
    whose = Blame.XTABLE, "XTable wrote this metadata"
    if table.case is None:
        reason = table.unreadable or ""
        opened = Opened(table.metadata_location, reason, table.silent)
        judged = [judge_opened(table.id, opened, whose)]
    else:
        claims: list[Claim[Any, Deviation]] = [every_sync_comes_through]
        claims += [one for one in CLAIMS.values() if one.family != OF_A_LAYOUT]
        judged = [judge_table(claim, table.case, whose) for claim in claims]
    return tuple(one.finding for one in judged if one.finding)
