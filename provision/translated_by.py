"""What writes the metadata of a table built here. A new translator is one line in `TRANSLATORS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from provision.cases import base_files
from provision.datasets import Dataset
from provision.providers.provider import Tools
from provision.translation import Translated
from xtable.writer import DELTA, ICEBERG, Writer
from xtable_audit.model.finding import Blame


@dataclass(frozen=True)
class TranslatedBy:
    """A translator, by the name that ends the ids of its tables."""

    blame: Blame
    words: str
    """Why it is to blame for a fault of its metadata."""
    translate: Callable[[Dataset, Tools], Translated]
    """Raises Problem if it cannot run."""
    recorded_with_xtable: bool = True
    """Whether it translates the recorded source in a run on recorded translations, for blame to compare them."""
    target: Literal["iceberg", "delta"] = "iceberg"
    """The format of the metadata."""


def _by_control(dataset: Dataset, tools: Tools) -> Translated:
    files = base_files(dataset, dataset.stages[-1], tools.disk())
    return tools.translations().control(dataset, sorted(files))


def _by_xtable(writer: Writer) -> TranslatedBy:
    return TranslatedBy(
        Blame.XTABLE,
        "XTable wrote this metadata",
        lambda dataset, tools: tools.translations().xtable(dataset, writer),
        target=writer.target,
    )


NATIVE, XTABLE, CONTROL = "native", ICEBERG.id, "control"
TRANSLATORS: Mapping[str, TranslatedBy] = MappingProxyType(
    {
        XTABLE: _by_xtable(ICEBERG),
        CONTROL: TranslatedBy(Blame.CONTROL, "PyIceberg's add_files wrote this metadata", _by_control),
        NATIVE: TranslatedBy(
            Blame.writer("spark"),
            "Spark wrote this metadata together with the table; no translator was involved",
            lambda dataset, tools: tools.translations().native(dataset),
            recorded_with_xtable=False,
        ),
        **{writer.id: _by_xtable(writer) for writer in DELTA},
    }
)
