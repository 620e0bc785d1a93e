"""What a source of tables implements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from lab.provision.hudi.kept_table import HudiTable
from lab.provision.hudi.laboratory import HudiLab
from lab.provision.live_or_recorded import ChosenTranslation
from lab.provision.plan import Plan
from lab.provision.source_tables import Datasets
from lab.provision.translations import Translations
from lab.store.address import Addresses
from lab.store.disk import Disk
from lab.store.running import RunningStore
from lab.subjects.table import Offer, Table
from xtable_audit.model.objects import Objects


class Built(Protocol):
    """A table that is built and not judged yet. It must pickle, since another process may judge it."""

    @property
    def in_store(self) -> bool:
        """Whether it is judged in the store, not on this disk."""
        ...

    @property
    def prefixes(self) -> Sequence[str]:
        """The keys below which its files are shown on this disk, to be put into the store once a reader is asked."""
        ...

    def judged(self, offer: Offer, objects: Objects, store: Addresses) -> Table:
        """The table as which it is offered, with its case, or with the reason why it cannot be read."""
        ...


class Tools(Protocol):
    """What a provider builds with. Each is made on first use and shared by all providers."""

    plan: Plan
    translation: ChosenTranslation

    def running(self) -> RunningStore: ...
    def disk(self) -> Disk: ...
    def datasets(self) -> Datasets: ...
    def translations(self) -> Translations: ...
    def lab(self) -> HudiLab: ...
    def announced(self) -> Sequence[Offer]:
        """The tables that the run needs, for providers that make several at once."""
        ...


class Provider(Protocol):
    """A source of tables."""

    def offers(self, plan: Plan) -> Iterable[Offer]:
        """Its tables, in the order of reports. Builds nothing."""
        ...

    def build(self, offer: Offer, tools: Tools) -> Built | HudiTable:
        """Builds the table or finds it. Raises Problem, in one sentence, if it cannot."""
        ...
