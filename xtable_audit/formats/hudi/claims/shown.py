"""What a reader of a Hudi table shows, with data skipping and without, against the rows of the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from packaging.version import Version

from xtable_audit.claims.needs import EVERY_FILE_READ
from xtable_audit.claims.readers.reading import ANSWERS, Misread, TableReading
from xtable_audit.formats.hudi.target.table import HudiTarget
from xtable_audit.model.claim import Need, claim
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Verdict
from xtable_audit.model.predicate import columns_of

SPEC = (
    'XTable docs, Features and Limitations, Hudi: "Users will also need to enable the metadata table … when reading '
    'the data"; they then see the rows of the source'
)
ROOT_ALONE = Version("0.15")
"""The first release of Hudi whose Spark reader looks for the files of a table without partitions in its root alone."""


@dataclass(frozen=True)
class ShownBeside(TableReading):
    """One reader's answers, beside the rows of the source."""

    of_source: tuple[int, ...] | None = None
    """How many rows of the source match each predicate; None if its rows are not known."""
    behind: bool = False
    """Whether the table is known to be late: the sync of the source's last state failed, and said so."""

    @property
    def overlooked(self) -> str:
        """Why the reader does not look where the files are, although Hudi 0.14.0 does, in a sentence; "" if it does."""
        native, release = self.stored.native, Version(self.asked[0].version)
        if (
            not isinstance(native, HudiTarget)
            or any(one.spec for one in self.stored.partitionings)
            or release < ROOT_ALONE
        ):
            return ""
        below = sorted({one.path.rpartition("/")[0] for one in native.live.values()} - {""})
        if not below:
            return ""
        return (
            f"the table has no partitions, and its files are in {below[0]}; Hudi {release} looks for them in the "
            "table's own folder alone, and Hudi 0.14.0, which XTable asks for, in every folder"
        )


OF_SOURCE = Need[ShownBeside]("the rows of the source", lambda reading: len(reading.of_source or ()))
LOOKED_FOR = Need[ShownBeside](
    "a reader that looks for files in every folder of the table",
    lambda reading: not reading.overlooked,
    why=lambda reading: reading.overlooked,
    of_run=True,
)


@claim(
    "the reader counts as many rows for a predicate as the source has",
    needs=(ANSWERS, OF_SOURCE, LOOKED_FOR, EVERY_FILE_READ),
    spec=SPEC,
    breaks=Verdict.UNSOUND,
)
def reader_shows_the_rows_of_the_source(reading: ShownBeside) -> Iterator[Misread]:
    """STALE where rows come back and none is lost, and where the table is behind its source, which the sync said."""
    assert reading.of_source is not None
    for one, rows in zip(reading.asked, reading.of_source, strict=True):
        if one.rows != rows:
            assert one.rows is not None, "the reader refuses, although the claim needs its answers"
            yield Misread(
                one,
                many(one.rows, "row"),
                f"{many(rows, 'row')}, as the source has them",
                one.actual.matching or one.actual.live,
                columns=columns_of(one.predicate),
                wrong=abs(one.rows - rows),
                verdict=Verdict.STALE if one.rows > rows or reading.behind else None,
            )
