"""`[[finding.affects]]`: facts about a source table that lead to a finding, so that it is found without a translation.

A block holds if all that it says does; a finding with several blocks needs one of them. Fields:

* `format`: hudi or delta, always;
* `types`, `place`, `column`: some leaf column has one of these types, is there, and shows that fact, all three at once;
* `facts`: facts about the table, all of them; `settings`: `name=value`, properties that the table keeps itself, all of
  them; `instants`: kinds of completed instant, one of which is on Hudi's timeline;
* `target`: iceberg or delta, if it leads there in what XTable writes of that format alone; else in whatever target the
  entry's `where` has; `writer`: if one of XTable's writers of Delta alone has the finding, which one;
* `releases`: narrows the releases of the entry's `where`;
* `since`: releases that began the Iceberg metadata, which a later one goes on with; `mended`: ids of entries, one of
  which holds for the release that began it and no more for the one that is asked about;
* `unseen`: in words, what must be so besides, and no metadata shows: such a block says no more than "may meet".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion

from xtable_audit.model.source_fact import FORMATS, LEAF_TYPES, ColumnFact, ColumnPlace, TableFact
from xtable_audit.model.subject_id import DELTA, TARGETS
from xtable_audit.register.bad_register import BadRegister

INSTANTS = (
    *("commit", "deltacommit", "replacecommit", "clustering", "compaction", "logcompaction", "clean", "rollback"),
    *("savepoint", "restore", "indexing"),
)
KERNEL, STANDALONE = "Delta Kernel", "Delta Standalone"
"""What of XTable writes Delta. Standalone does unless the target has `USE_KERNEL`."""
USE_KERNEL = "xtable.delta.target.use_kernel=true"
LISTS = {"types": LEAF_TYPES, "facts": tuple(TableFact), "instants": INSTANTS}
"""Fields that list words of a vocabulary."""
WORDS = {"format": FORMATS, "place": tuple(ColumnPlace), "column": tuple(ColumnFact), "target": TARGETS,
         "writer": (KERNEL, STANDALONE)}  # fmt: skip
"""Fields that are one word of a vocabulary."""
FIELDS = (*WORDS, *LISTS, "settings", "releases", "since", "mended", "unseen")


@dataclass(frozen=True)
class Affects:
    """One way to a finding. Empty fields ask for nothing."""

    format: str
    types: tuple[str, ...] = ()
    place: ColumnPlace | None = None
    column: ColumnFact | None = None
    facts: tuple[TableFact, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    instants: tuple[str, ...] = ()
    releases: SpecifierSet | None = None
    since: SpecifierSet | None = None
    mended: tuple[str, ...] = ()
    unseen: str = ""
    target: str = ""
    writer: str = ""

    def concerns(self, target: str) -> bool:
        """Whether it says something of what XTable writes as that format."""
        return self.target in ("", target)


def read_affects(label: str, rows: Any) -> tuple[Affects, ...]:
    """The blocks of the entry `label`. Raises BadRegister, with one sentence."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadRegister(f"{label}: affects must be a list of tables; begin each with [[finding.affects]].")
    return tuple(_block(f"{label}: affects", row) for row in rows)


def _block(label: str, row: Mapping[str, Any]) -> Affects:
    for field in row:
        if field not in FIELDS:
            raise BadRegister(f"{label} has the unknown field {field!r}; {_near(field, FIELDS)}")
    if "format" not in row:
        raise BadRegister(f"{label} has no format; say hudi or delta.")
    if set(row) <= {"format", "target", "writer", "releases", "unseen"}:
        raise BadRegister(f"{label} asks for nothing but a format; name a fact by which a table is recognised.")
    for field, words in WORDS.items():
        if field in row:
            _member(label, field, row[field], words)
    for field in ("types", "facts", "instants", "settings", "mended"):
        _texts(label, field, row.get(field, ["-"]))
        for word in row.get(field, ()) if field in LISTS else ():
            _member(label, field, word, LISTS[field])
    if "writer" in row and row.get("target", DELTA) != DELTA:
        raise BadRegister(f"{label} names a writer of Delta, and {row['target']} as the target; keep one of them.")
    if not isinstance(row.get("unseen", "-"), str) or not row.get("unseen", "-").strip():
        raise BadRegister(f"{label}: unseen must be text, not {row['unseen']!r}.")
    return Affects(
        format=row["format"],
        types=tuple(row.get("types", ())),
        place=ColumnPlace(row["place"]) if "place" in row else None,
        column=ColumnFact(row["column"]) if "column" in row else None,
        facts=tuple(TableFact(one) for one in row.get("facts", ())),
        settings=tuple(_setting(label, one) for one in row.get("settings", ())),
        instants=tuple(row.get("instants", ())),
        releases=_range(label, row["releases"]) if "releases" in row else None,
        since=_range(label, row["since"]) if "since" in row else None,
        mended=tuple(row.get("mended", ())),
        unseen=row.get("unseen", ""),
        target=row.get("target", DELTA if "writer" in row else ""),
        writer=row.get("writer", ""),
    )


def _texts(label: str, field: str, value: Any) -> None:
    if not isinstance(value, list) or not value or not all(isinstance(one, str) and one for one in value):
        raise BadRegister(f"{label}: {field} must be a list of one text or more, not {value!r}.")


def _member(label: str, field: str, word: Any, words: Sequence[str]) -> None:
    if word not in words:
        raise BadRegister(f"{label}: {word!r} is no word for {field}; {_near(str(word), words)}")


def _setting(label: str, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise BadRegister(f"{label}: the setting {text!r} has no value; write name=value.")
    return name.strip(), value.strip()


def _range(label: str, text: Any) -> SpecifierSet:
    try:
        return SpecifierSet(text)
    except (InvalidSpecifier, InvalidVersion, TypeError, AttributeError) as error:
        raise BadRegister(f"{label} has a bad range of releases ({text!r}); write one like '>=0.3,<0.5'.") from error


def _near(word: str, words: Sequence[str]) -> str:
    close = get_close_matches(word, words, n=1)
    return f"did you mean '{close[0]}'?" if close else f"there are {', '.join(words)}."
