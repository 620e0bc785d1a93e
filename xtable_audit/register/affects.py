"""`affects` of an entry: facts about a source table that lead to a finding, so that it is found without a translation.

A block holds if all that it says does; a finding with several blocks needs one of them. Fields:

* `format`: hudi or delta, always;
* `types`, `place`, `column`: some leaf column has one of these types, is there, and shows that fact, all three at once;
* `facts`: facts about the table, all of them; `settings`: `name=value`, properties that the table keeps itself, all of
  them; `instants`: kinds of completed instant, one of which is on Hudi's timeline;
* `target`: iceberg, delta or hudi, if it leads there in what XTable writes of that format alone; else in whatever
  target the entry's `where` has; `writer`: if one of XTable's writers of Delta alone has the finding, which one;
  `reader`: if it is so of Iceberg metadata of a Delta table that XTable reads by Spark alone, or by Delta Kernel, which
  one;
* `releases`: narrows the releases of the entry's `where`;
* `since`: releases that began the Iceberg metadata, which a later one goes on with; `mended`: ids of entries, one of
  which holds for the release that began it and no more for the one that is asked about;
* `unseen`: in words, what must be so besides, and no metadata shows: such a block says no more than "may meet".
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any

from packaging.version import Version
from pydantic import PlainValidator

from xtable_audit.model.source_fact import FORMATS, LEAF_TYPES, ColumnFact, ColumnPlace, TableFact
from xtable_audit.model.subject_id import DELTA, HUDI, ICEBERG, TARGETS
from xtable_audit.register.fields import Releases, Row, Text, Texts, one_of, read, tables

INSTANTS = (
    *("commit", "deltacommit", "replacecommit", "clustering", "compaction", "logcompaction", "clean", "rollback"),
    *("savepoint", "restore", "indexing"),
)
KERNEL, STANDALONE = "Delta Kernel", "Delta Standalone"
"""What of XTable writes Delta. Standalone does unless the target has `USE_KERNEL`."""
SPARK = "Spark"
"""What of XTable reads Delta for RunSync. Its Spark runtime takes the reader by `KERNEL` on Spark 3.5 and newer."""
USE_KERNEL = "xtable.delta.target.use_kernel=true"
FIRST_RECORDED = {"iceberg": Version("0.4")}
"""The first release of which it is registered what it makes of sources of that format, where earlier ones read it,
too."""
NO_FACTS = {"format", "target", "writer", "releases", "unseen"}
"""Fields by which no table is recognised. A target and what is unseen are enough where every table may meet it."""


def _setting(text: Any) -> tuple[str, str]:
    name, _, value = str(text).partition("=")
    if not isinstance(text, str) or not name.strip() or not value.strip():
        raise ValueError("must be name=value")
    return name.strip(), value.strip()


@dataclass(frozen=True)
class Affects(Row):
    """One way to a finding. Empty fields ask for nothing."""

    format: Annotated[str, one_of(FORMATS, "format")]
    types: tuple[Annotated[str, one_of(LEAF_TYPES, "types")], ...] = ()
    place: ColumnPlace | None = None
    column: ColumnFact | None = None
    facts: tuple[TableFact, ...] = ()
    settings: tuple[Annotated[tuple[str, str], PlainValidator(_setting)], ...] = ()
    instants: tuple[Annotated[str, one_of(INSTANTS, "instants")], ...] = ()
    releases: Releases | None = None
    since: Releases | None = None
    mended: Texts = ()
    unseen: Text = ""
    target: Annotated[str, one_of((*TARGETS, HUDI), "target")] = ""
    writer: Annotated[str, one_of((KERNEL, STANDALONE), "writer")] = ""
    reader: Annotated[str, one_of((SPARK, KERNEL), "reader")] = ""

    def __post_init__(self) -> None:
        asked = [one.name for one in fields(self) if one.name not in NO_FACTS and getattr(self, one.name)]
        if not asked and not (self.target and self.unseen):
            raise ValueError("asks for nothing but a format; name a fact by which a table is recognised.")
        if self.writer and self.target not in ("", DELTA):
            raise ValueError(f"names a writer of Delta, and {self.target} as the target; keep one of them.")
        if self.writer:
            object.__setattr__(self, "target", DELTA)
        if self.reader and (self.format != DELTA or self.target not in ("", ICEBERG)):
            raise ValueError("names a reader of Delta tables, which XTable translates to iceberg alone.")
        if self.reader:
            object.__setattr__(self, "target", ICEBERG)

    def concerns(self, target: str) -> bool:
        """Whether it says something of what XTable writes as that format."""
        return self.target in ("", target)


def read_affects(label: str, rows: Any) -> tuple[Affects, ...]:
    """The blocks of the entry `label`. Raises BadRegister, with one sentence."""
    given = tables(label, "affects", rows, begin='{ format = "…", … }')
    return tuple(read(Affects, f"{label}: affects", row) for row in given)
