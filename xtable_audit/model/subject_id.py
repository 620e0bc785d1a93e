"""The id of a subject: what users type after `-k`, and what the register and the reports name it by."""

from __future__ import annotations

from dataclasses import dataclass

NATIVE = "native"


@dataclass(frozen=True)
class SubjectId:
    """`dataset` where the engine that wrote the rows wrote the metadata too, else `dataset-translator`."""

    dataset: str
    """Without a dash: the first one in an id ends it."""
    translator: str = NATIVE
    """What wrote the metadata: `native`, `xtable`, `control`, or `hudi<release>` for Hudi's own indexes."""

    def __post_init__(self) -> None:
        if "-" in self.dataset:
            raise ValueError(f"the dataset {self.dataset!r} has a dash, which ends it in an id")

    @classmethod
    def parse(cls, id: str) -> SubjectId:
        dataset, _, translator = id.partition("-")
        return cls(dataset, translator or NATIVE)

    def __str__(self) -> str:
        return self.dataset if self.translator == NATIVE else f"{self.dataset}-{self.translator}"
