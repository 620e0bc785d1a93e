"""The id of a subject, used after `-k`, in the register and in reports."""

from __future__ import annotations

from dataclasses import dataclass

NATIVE = "native"
XTABLE = "xtable"
"""The end of ids of Iceberg metadata by XTable."""
ICEBERG, DELTA = TARGETS = ("iceberg", "delta")
"""Formats of the metadata."""
HUDI = "hudi"
"""A format of metadata that a run has on request alone."""
BY = "_by_"
CONTROL = "control"
"""The writer of the control's metadata, whatever the target."""
NATIVE_DELTA = f"{NATIVE}_{DELTA}"
"""The one dataset that is a Delta table which nothing translated."""
UNTRANSLATED = (f"{NATIVE}_{ICEBERG}", NATIVE_DELTA)
"""The datasets that nothing translates, so that their ids name no translator."""


@dataclass(frozen=True)
class SubjectId:
    """Prints as `dataset` if the engine that wrote the rows also wrote the metadata, else as `dataset-translator`."""

    dataset: str
    """Contains no dash: the first dash of an id ends the dataset."""
    translator: str = NATIVE
    """The writer of the metadata: `native`, `xtable`, `control`, `hudi<release>` for Hudi's own indexes, or, of another
    target than Iceberg, `<target>_by_<writer>`."""

    def __post_init__(self) -> None:
        if "-" in self.dataset:
            raise ValueError(f"the dataset {self.dataset!r} has a dash, which ends it in an id")

    @property
    def target(self) -> str:
        """The format of the metadata: `iceberg`, `delta`."""
        target, by, _ = self.translator.partition(BY)
        if by:
            return target
        return DELTA if str(self) == NATIVE_DELTA else ICEBERG

    @property
    def is_by_xtable(self) -> bool:
        """Whether XTable wrote the metadata, to whichever target."""
        return self.translator == XTABLE or (BY in self.translator and not self.is_control)

    @property
    def is_control(self) -> bool:
        """Whether the control wrote the metadata, to whichever target."""
        return self.translator.rpartition(BY)[2] == CONTROL

    @classmethod
    def parse(cls, id: str) -> SubjectId:
        dataset, _, translator = id.partition("-")
        return cls(dataset, translator or NATIVE)

    def __str__(self) -> str:
        return self.dataset if self.translator == NATIVE else f"{self.dataset}-{self.translator}"
