"""What the checks of XTable's output have in common: syncs and what each left, files, columns and rows."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from columns import Column, loses_values  # type: ignore[import-not-found]
from files import local, of_files, short  # type: ignore[import-not-found]
from verdict import HERE, Fails, decide  # type: ignore[import-not-found]

FAILED_SILENTLY, STALE, UNREADABLE = "FAILED_SILENTLY", "STALE", "UNREADABLE"
JVMS = ("a fresh JVM for each sync", "a fresh JVM for each sync, which first loads what a long-running one has loaded")
Ask = Callable[[tuple[str, Any]], int | str]
"""A reader's count of the rows in which a column has a value."""
Run = dict[str, Any]
"""`syncs.json` has one for each sync: exit status, newest metadata, the source's rows and files at that time."""


def check(reader: str, checked: set[str], look: Callable[[Run, list[Run], Run], Iterator[Fails]]) -> int:
    """The exit status. `look` compares the table, given `fault.json`, `syncs.json` and `source.json`, with `reader`."""
    fault = json.loads((HERE / "fault.json").read_text())
    syncs = json.loads((HERE / "syncs.json").read_text())
    source = json.loads((HERE / "source.json").read_text())
    release = os.environ.get("XTABLE_RELEASE", "")
    print(f"{fault['id']}: {fault['title']}")
    by = f", to {fault['target']}" if "target" in fault else ""
    by += f" by {fault['target_by']}" if fault.get("target_by") else ""
    print(f"XTable {release or 'of your own'}{by}; {JVMS[bool(os.environ.get('WARM'))]}\n")
    found = [*of_the_syncs(syncs)]
    try:
        for fails in look(fault, syncs, source) if syncs[-1]["metadata"] else ():
            found.append(fails)
    except Exception as error:  # noqa: BLE001 - whatever a reader meets is what a user meets
        words = f"{reader} cannot read the table: {type(error).__name__}: {error}"
        print(words)
        found.append(Fails("metadata_and_data_files_can_be_read", words))
    why = last_exception()
    status: int = decide(fault, found, release=release, checked=checked, syncs=syncs, why_no_sync=why)
    return status


def last_exception() -> str:
    """The last exception that XTable logs; "" for none."""
    lines = (HERE / "sync.log").read_text(errors="replace").splitlines()
    said = [line.strip() for line in lines if "Exception" in line and not line.strip().startswith("at ")]
    return said[-1] if said else ""


def of_the_syncs(syncs: list[Run]) -> Iterator[Fails]:
    failed = [number for number, one in enumerate(syncs, start=1) if one["exit"] or one["metadata"] is None]
    print(f"syncs: {len(syncs) - len(failed)} of {len(syncs)} succeed")
    if not failed:
        return
    said = last_exception()
    words = f"sync {failed[0]}: {said or 'no metadata, and no word of failure'}"
    print(f"  {words}")
    verdict = UNREADABLE if said else FAILED_SILENTLY
    yield Fails("every_sync_comes_through", words, verdict=verdict)
    if syncs[-1]["metadata"] is None:
        yield Fails("metadata_and_data_files_can_be_read", words, verdict=verdict)


def of_each_state(
    syncs: list[Run], absent: set[str], state: Callable[[str], tuple[Counter[str], int | str]]
) -> Iterator[Fails]:
    """The files and rows after each sync that came through, against those that Spark read of the source then.

    `state` returns the live files and the number of rows by metadata at that place.
    """
    for number, one in enumerate(syncs, start=1):
        if one["exit"] or not one["metadata"] or one["files"] is None or not local(one["metadata"]).exists():
            continue
        live, rows = state(one["metadata"])
        for claim, words, verdict in of_files(live, one["files"], absent):
            yield Fails(f"{claim}_after_a_sync", f"after sync {number}: {words}", verdict=verdict, after=number)
        if isinstance(rows, int) and rows != one["rows"]:
            words = f"after sync {number}: {rows} rows, {one['rows']} in the source"
            yield Fails("rows_are_as_many_after_a_sync", words, after=number)
        elif isinstance(rows, int) and rows != one.get("snapshot_rows", rows):
            words = f"after sync {number}: {rows} rows, {one['snapshot_rows']} in the snapshot view of the source"
            yield Fails("rows_are_those_of_the_snapshot_view", words, after=number)


def of_the_source_files(live: Counter[str], source: Run, absent: set[str], *, behind: bool) -> Iterator[Fails]:
    """The newest live files. `behind`: the last sync failed, and says so: what is missing is stale."""
    in_source = "unknown" if source["files"] is None else len(source["files"])
    print(f"data files: {live.total()} in the metadata, in the source {in_source}")
    for path in sorted(absent):
        yield Fails("every_file_exists", f"{short(path)} does not exist")
    for claim, words, verdict in of_files(live, source["files"], absent) if source["files"] is not None else ():
        yield Fails(claim, words, verdict=verdict or (STALE if behind and claim == "no_file_is_missing" else ""))


def of_left_over(names: list[str], source: Run) -> Iterator[Fails]:
    """Columns of the table that Spark does not show of the source."""
    known = {name.lower() for name in source.get("columns", ())}
    for name in names if known else ():
        if name.lower() not in known and not name.startswith("_hoodie_"):
            where = f"{name}: in the table, and not in the source ({', '.join(sorted(known))})"
            yield Fails("no_column_is_left_over", where, name)


def of_nulls(rows: Any, source: Run) -> Iterator[Fails]:
    """Where the rows are as many, the nulls of each column against those that Spark reads of the source."""
    if rows.num_rows != source["rows"]:
        return
    for name, nulls in source["nulls"].items():
        found = rows.column(name).null_count if name in rows.column_names else rows.num_rows
        if found != nulls:
            where = f"{name}: {found} of {rows.num_rows} rows are null, {nulls} in the source"
            yield Fails("values_are_those_of_the_source", where, name)


def of_rows(reader: str, rows: int | str, other: int | str, source: Run, *, behind: bool) -> Iterator[Fails]:
    """All rows, by `reader` and by DuckDB, `other`."""
    print(f"\nall rows: {source['rows']} in the source; found by {reader} {rows}, DuckDB {other}")
    if isinstance(rows, str):
        yield Fails("metadata_and_data_files_can_be_read", f"{reader} {rows}")
    elif source["rows"] is not None and rows != source["rows"]:
        fewer = rows < source["rows"]
        claim = "no_row_is_missing" if fewer else "no_row_is_shown_twice"
        yield Fails(claim, f"{rows} rows, {source['rows']} in the source", verdict=STALE if behind and fewer else "")


def of_a_false_bound(readers: dict[str, Ask], paths: list[Path], columns: list[Column]) -> Iterator[Fails]:
    """The rows of the value that a false bound leaves out, or that a false count says are null, by each reader."""
    held_somewhere = (one for one in columns if "." not in one.name and one.least is not None)
    false = next(filter(loses_values, held_somewhere), None)
    if false is None:
        return
    held = {path.name: rows.column(false.name) for path in paths if false.name in (rows := content(path)).column_names}
    own = held[false.file].drop_null()
    wanted = pc.min(own) if false.lower is not None and false.lower > false.least else pc.max(own)
    matching = sum(pc.sum(pc.equal(values, wanted)).as_py() or 0 for values in held.values())
    answers = {who: ask((false.name, wanted.as_py())) for who, ask in readers.items()}
    found = ", ".join(f"{who} {answer}" for who, answer in answers.items())
    query = f"{false.name} = {wanted.as_py()}: {matching} rows match; found by {found}"
    print(query)
    if any(isinstance(answer, int) and answer < matching for answer in answers.values()):
        yield Fails("no_matching_file_is_dropped", query, false.name)


def content(path: Path) -> pa.Table:
    return pq.read_table(path, partitioning=None)
