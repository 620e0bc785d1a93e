"""What writes the metadata of a table built here. A new translator is one line in `TRANSLATORS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lab.provision.dataset import Dataset
from lab.provision.provider_protocol import Tools
from lab.provision.sources.every_source import FORMATS
from lab.provision.targets import TO_HUDI
from lab.provision.translator_output import Translated
from spark_jobs.battery.table import BatteryTable
from spark_jobs.recipes import Recipe
from xtable.sources import XTABLE_SOURCES
from xtable.writer import DELTA, HUDI, ICEBERG, ICEBERG_BY_KERNEL, Writer
from xtable_audit.model import subject_id
from xtable_audit.model.finding import Blame
from xtable_audit.model.subject_id import CONTROL, NATIVE

DELTA_CONTROL = f"{subject_id.DELTA}{subject_id.BY}{CONTROL}"
CONTROLLED = ("good_layout", "bad_layout", "plain_types")
"""The tables that the control of Delta translates: those whose claims the control of Iceberg must pass, too."""


@dataclass(frozen=True)
class TranslatedBy:
    """A translator, by the name that ends the ids of its tables."""

    blame: Blame
    words: str
    """Why it is to blame for a fault of its metadata."""
    translate: Callable[[Dataset, Tools], Translated]
    """Raises Problem if it cannot run."""
    takes: Callable[[Recipe | BatteryTable], bool]
    """Whether it translates a source."""
    target: str = subject_id.ICEBERG
    """The format of the metadata."""
    control: str = ""
    """The translator over the same files whose metadata helps to decide blame."""
    library: str = ""
    """Of a control: the distribution that writes its metadata."""


def _is_translated(source: Recipe | BatteryTable) -> bool:
    return FORMATS[source.format].is_translated


def _by_control(dataset: Dataset, tools: Tools) -> Translated:
    files = dataset.base_files(dataset.stages[-1], tools.disk())
    return tools.translations().controls.to_iceberg(dataset, sorted(files))


def _by_xtable(writer: Writer, control: str) -> TranslatedBy:
    return TranslatedBy(
        Blame.XTABLE,
        "XTable wrote this metadata",
        lambda dataset, tools: tools.translations().xtable(dataset, writer),
        takes=lambda source: (
            _is_translated(source)
            and writer.target.upper() not in (source.format, FORMATS[source.format].as_target.upper())
            and not (writer.reads_by_kernel and XTABLE_SOURCES[source.format].by_kernel is None)
        ),
        target=writer.target,
        control=control,
    )


TRANSLATORS: Mapping[str, TranslatedBy] = MappingProxyType(
    {
        **{writer.id: _by_xtable(writer, CONTROL) for writer in (ICEBERG, ICEBERG_BY_KERNEL)},
        CONTROL: TranslatedBy(
            Blame.CONTROL,
            "PyIceberg's add_files wrote this metadata",
            _by_control,
            takes=_is_translated,
            library="pyiceberg",
        ),
        NATIVE: TranslatedBy(
            Blame.writer("spark"),
            "Spark wrote this metadata together with the table; no translator was involved",
            lambda dataset, tools: tools.translations().native(dataset),
            takes=lambda source: not _is_translated(source),
        ),
        **{writer.id: _by_xtable(writer, DELTA_CONTROL) for writer in DELTA},
        DELTA_CONTROL: TranslatedBy(
            Blame.CONTROL,
            "delta-rs wrote this metadata, with statistics from the files' footers",
            lambda dataset, tools: tools.translations().controls.to_delta(dataset, DELTA_CONTROL),
            takes=lambda source: source.name in CONTROLLED,
            target=subject_id.DELTA,
            library="deltalake",
        ),
        HUDI.id: TranslatedBy(
            Blame.XTABLE,
            "XTable wrote this metadata",
            lambda dataset, tools: tools.translations().xtable(dataset, HUDI),
            takes=lambda source: source.name in TO_HUDI,
            target=subject_id.HUDI,
        ),
    }
)


def control_library(writer: Writer) -> str:
    """The distribution that writes the control's metadata in the writer's format; "" without a control."""
    control = TRANSLATORS[writer.id].control
    return TRANSLATORS[control].library if control else ""
