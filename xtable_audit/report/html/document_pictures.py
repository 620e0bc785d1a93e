"""The pictures of a document: which ones there are, what each says, and its numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from xtable_audit.model.figures import many
from xtable_audit.model.file_ranges import FileRanges, Range
from xtable_audit.model.finding import Finding
from xtable_audit.model.own_table import PredicateRow
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.report.document import Document, LayerRow, SelectionRow, TightnessRow
from xtable_audit.report.groups import FindingGroup
from xtable_audit.report.html.picture import Key, Picture, late

if TYPE_CHECKING:
    from xtable_audit.report.html import draw
else:
    draw = late("xtable_audit.report.html.draw")  # altair takes half a second, and a page without findings has none

NONE = "-"
"""In place of a number that is not reported."""
LAYOUTS = 6
"""Maximum layouts that the page shows."""
COLUMNS = 25
"""Maximum columns of the picture of tightness."""
PANELS = 4
"""Maximum tables, side by side, of a picture of reads."""
OF_BOUNDS = (
    Key("k-stored", "stored bounds"),
    Key("k-wrong", "stored bounds that fail the claim"),
    Key("k-actual", "actual values"),
    Key("k-lost", "actual values outside the stored bounds: readers lose them"),
)
OF_LAYOUT = (
    Key("k-band", "what the predicate asks for"),
    Key("k-read", "planned, and holds a matching row"),
    Key("k-extra", "planned, and holds none"),
    Key("k-skipped", "skipped"),
    Key("k-lost", "skipped, and holds a matching row: readers lose it"),
)
OF_READS = (
    Key("k-skipped", "live files"),
    Key("k-extra", "planned by the metadata"),
    Key("k-read", "read, by the store's request log"),
    Key("k-actual", "with a matching row"),
)
OF_SHARES = (Key("k-ring", "by the stored bounds"), Key("k-disc", "by exact bounds"))


def of_group(group: FindingGroup) -> tuple[Picture, ...]:
    return of_findings(group.anchor, (group.first, *group.findings))


def of_findings(anchor: str, findings: Iterable[Finding]) -> tuple[Picture, ...]:
    """The bounds of the first finding that has any; none where no finding has."""
    finding = next((one for one in findings if one.ranges and one.ranges.files), None)
    if finding is None or finding.ranges is None:
        return ()
    of = finding.ranges
    title = f"Stored and actual bounds of {of.column} in {finding.table}"
    wrong = sum(file.wrong for file in of.files)
    words = f"A row is a file, a frame its stored bounds, a bar its actual values. {_wrong(wrong, of)}"
    head = ("file", "stored from", "stored to", "actual from", "actual to", "claim")
    rows = tuple(
        (str(number), *_texts(file.stored), *_texts(file.actual), f"{'fails' if file.wrong else 'holds'}: {file.file}")
        for number, file in enumerate(of.files, 1)
    )
    name = f"{title}. {words}"
    keys = _present(
        OF_BOUNDS,
        {
            "k-stored": wrong < len(of.files),
            "k-wrong": wrong > 0,
            "k-lost": any(draw.outside(file.stored, file.actual) for file in of.files),
        },
    )
    drawn = draw.stored_and_actual(of, name)
    return (Picture(f"{anchor}-bounds", title, words, drawn, head, rows, keys, finding.sentence),)


def of_reads(document: Document) -> tuple[Picture, ...]:
    single = _single(document)
    return (
        *_layouts(single),
        *_reads(single),
        *_asked(document),
        *_tightness(document.tightness),
        *_layers(document.layers),
    )


def _single(document: Document) -> list[SelectionRow]:
    """Rows of questions with one predicate a table, without the control translator's."""
    rows: dict[tuple[str, str], list[SelectionRow]] = {}
    for row in document.selections:
        if not SubjectId.parse(row.table).is_control:
            rows.setdefault((row.question, row.table), []).append(row)
    return [row for [row, *others] in rows.values() if not others]


def _layouts(rows: Sequence[SelectionRow]) -> Iterator[Picture]:
    """One a table: by a column whose values have distances, if a predicate is on one."""
    of_table: dict[str, SelectionRow] = {}
    for row in sorted(rows, key=lambda one: one.ranges is not None and one.ranges.axis == "order"):
        if row.ranges is not None and row.ranges.files:
            of_table.setdefault(row.table, row)
    for number, (table, row) in enumerate(list(of_table.items())[:LAYOUTS]):
        if row.ranges is not None:
            yield _layout(f"layout-{number}", table, row, row.ranges)


def _layout(id: str, table: str, row: SelectionRow | PredicateRow, of: FileRanges) -> Picture:
    title = f"Layout of {table} by {of.column}"
    words = (
        f"WHERE {row.predicate}: {row.planned:,} of {many(row.live, 'file')} planned, {row.matching or 0:,} with a "
        f"matching row. A row is a file, over the range of its stored bounds."
    )
    head = ("file", "stored from", "stored to", "planned", "matching")
    numbers = tuple(
        (str(n), *_texts(file.stored), _yes(file.planned), _yes(file.matching)) for n, file in enumerate(of.files, 1)
    )
    lost = any(file.matching and not file.planned for file in of.files)
    extra = any(file.planned and not file.matching for file in of.files)
    keys = _present(OF_LAYOUT, {"k-lost": lost, "k-extra": extra})
    drawn = draw.layout(of, f"{title}. {words}")
    return Picture(id, title, words, drawn, head, numbers, keys)


def _reads(rows: Sequence[SelectionRow]) -> Iterator[Picture]:
    """Live, planned, read and matching files, a panel a table."""
    for number, (question, of) in enumerate(_by_question(rows).items()):
        shown = of[:PANELS]
        readers = list(dict.fromkeys(name for row in shown for name, seen in row.readers.items() if not seen.refused))
        lines = ["live", "planned", *readers, "matching"]
        marks: list[tuple[str, str, int]] = []
        for row in shown:
            marks += [(row.table, "live", row.live), (row.table, "planned", row.planned)]
            marks += [(row.table, name, seen.read) for name, seen in row.readers.items() if seen.read is not None]
            marks.append((row.table, "matching", row.matching))
        title = f"Files of the question {question}: live, planned, read, matching"
        words = f"WHERE {shown[0].predicate}. A reader's bar is the files it read; those without one refuse the table."
        found = {(table, line): files for table, line, files in marks}
        tables = [row.table for row in shown]
        numbers = tuple((line, *(found.get((table, line), NONE) for table in tables)) for line in lines)
        drawn = draw.bars(marks, tables, _fills(lines), f"{title}. {words}")
        yield Picture(f"reads-{number}", title, words, drawn, ("files", *tables), numbers, OF_READS)


def _by_question(rows: Iterable[SelectionRow]) -> dict[str, list[SelectionRow]]:
    of: dict[str, list[SelectionRow]] = {}
    for row in rows:
        if row.readers:
            of.setdefault(row.question, []).append(row)
    return of


def _asked(document: Document) -> Iterator[Picture]:
    """The predicates of a user's own table."""
    own = document.own_table
    if own is None:
        return
    for number, one in enumerate(own.predicates[:PANELS]):
        if one.ranges is not None and one.ranges.files:
            yield _layout(f"layout-{number}", own.name, one, one.ranges)
        seen = {"live": one.live, "planned": one.planned, "matching": one.matching}
        lines = [line for line, files in seen.items() if files is not None]
        marks = [("files", line, files) for line, files in seen.items() if files is not None]
        title, words = "Live, planned and matching files", f"WHERE {one.predicate}"
        numbers = tuple((line, files) for _, line, files in marks)
        drawn = draw.bars(marks, ["files"], _fills(lines), f"{title}. {words}")
        yield Picture(f"asked-{number}", title, words, drawn, ("which", "files"), numbers)


def _tightness(rows: Sequence[TightnessRow]) -> Iterator[Picture]:
    """The columns of translated tables that lose most, the worst first."""
    loose = [one for one in rows if one.recorded < one.ideal and not SubjectId.parse(one.table).is_control]
    if not loose:
        return
    worst = sorted(loose, key=lambda one: (one.recorded - one.ideal, one.table, one.column))[:COLUMNS]
    title = "Columns whose stored bounds skip less than exact bounds would"
    words = f"The worst {len(worst):,} of {many(len(loose), 'column')}: what readers skip, and what they could."
    shares = [(f"{one.table} · {one.column}", one.recorded, one.ideal) for one in worst]
    numbers = tuple((one.table, one.column, f"{one.recorded:.0%}", f"{one.ideal:.0%}") for one in worst)
    head = ("table", "column", "stored bounds skip", "exact bounds skip")
    drawn = draw.dumbbells(shares, f"{title}. {words}")
    yield Picture("tightness", title, words, drawn, head, numbers, OF_SHARES)


def _layers(rows: Sequence[LayerRow]) -> Iterator[Picture]:
    """What each of Hudi's two layers leaves, with skipping on."""
    of_predicate: dict[str, list[LayerRow]] = {}
    for row in rows:
        if row.asked == "on":
            of_predicate.setdefault(row.predicate, []).append(row)
    for number, (predicate, of) in enumerate(of_predicate.items()):
        shown = of[:PANELS]
        lines = ["live", "after partition statistics", "after column statistics", "matching"]
        marks = [
            (row.table, line, files)
            for row in shown
            for line, files in zip(
                lines,
                (row.live, row.after_partition_statistics, row.after_column_statistics, row.matching),
                strict=True,
            )
            if files is not None
        ]
        title = "What each layer of Hudi's data skipping leaves"
        words = f"WHERE {predicate}, by Hudi's own reader. Base files of each table, each on its own scale."
        found = {(table, line): files for table, line, files in marks}
        tables = [row.table for row in shown]
        numbers = tuple((line, *(found.get((table, line), NONE) for table in tables)) for line in lines)
        drawn = draw.bars(marks, tables, _fills(lines), f"{title}. {words}", one_scale=False)
        yield Picture(f"layers-{number}", title, words, drawn, ("files", *tables), numbers)


def _fills(lines: Iterable[str]) -> dict[str, str]:
    """A reader's bar, as that of a layer, is plain."""
    known = {"live": draw.GREY, "planned": draw.HATCHED[draw.ACCENT], "matching": draw.INK}
    return {line: known.get(line, draw.ACCENT) for line in lines}


def _texts(of: Range) -> tuple[str, str]:
    return of.low, of.high


def _wrong(wrong: int, of: FileRanges) -> str:
    shown = "" if len(of.files) == of.total else f" shown, of {of.total:,}"
    return f"The claim fails in {wrong:,} of {many(len(of.files), 'file')}{shown}."


def _present(keys: Sequence[Key], there: dict[str, bool]) -> tuple[Key, ...]:
    """Without those that the drawing does not have."""
    return tuple(key for key in keys if there.get(key.kind, True))


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"
