"""Compares what the Iceberg metadata stores with the values of the data files, and with the source that Spark reads.

Ends with 10 if the fault of fault.json in this folder is there, 0 if it is gone, 6 if it could not be tried:
`reproduce.sh` takes only 10 for the fault, since Python itself ends with 1 where it crashes. Needs pyiceberg[pyarrow];
with duckdb a second reader answers the query.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyiceberg.conversions import from_bytes
from pyiceberg.expressions import EqualTo, Reference
from pyiceberg.expressions.literals import literal
from pyiceberg.table import StaticTable
from pyiceberg.types import (
    DateType,
    IcebergType,
    NestedField,
    PrimitiveType,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
)

HERE = Path.cwd()
PRESENT, GONE, NOT_TRIED = 10, 0, 6
FIELD_ID = b"PARQUET:field_id"
CHECKED = {
    "bounds_are_of_values",
    "bounds_are_present",
    "bounds_are_tight",
    "bounds_contain_values",
    "column_sizes_fit_the_file",
    "every_file_exists",
    "every_sync_comes_through",
    "metadata_and_data_files_can_be_read",
    "no_bound_is_nan",
    "no_column_is_left_over",
    "no_file_is_listed_twice",
    "no_file_is_missing",
    "no_file_is_stale",
    "no_matching_file_is_dropped",
    "no_row_is_missing",
    "no_row_is_shown_twice",
    "null_counts_are_exact",
    "points_skip_what_exact_bounds_would",
    "record_counts_are_exact",
    "rows_are_as_many_after_a_sync",
    "spec_is_the_configured_one",
    "tuples_equal_every_row",
    "value_counts_are_exact",
    "values_are_those_of_the_source",
}
"""The claims that this script checks. Where a finding is about none of them, it cannot say that the fault is gone."""


@dataclass
class Column:
    """One column of one data file: stored metrics, None where absent, and actual ones."""

    file: str
    name: str
    kind: IcebergType
    lower: Any
    upper: Any
    least: Any
    greatest: Any
    nulls: int | None
    values: int | None
    actual_nulls: int
    actual_values: int


@dataclass
class Fails:
    claim: str
    where: str
    column: str = ""
    value: Any = None


def main() -> int:
    fault = json.loads((HERE / "fault.json").read_text())
    syncs = json.loads((HERE / "syncs.json").read_text())
    source = json.loads((HERE / "source.json").read_text())
    print(f"{fault['id']}: {fault['title']}\n")
    found = [*of_the_syncs(syncs), *of_earlier_states(syncs)]
    if syncs[-1]["metadata"]:
        try:
            table = StaticTable.from_metadata(syncs[-1]["metadata"])
            found += of_the_table(table, syncs[-1]["metadata"], source, partitioned=fault["partitioned"])
        except Exception as error:  # noqa: BLE001 - whatever a reader meets is what a user meets
            words = f"PyIceberg cannot read the table: {type(error).__name__}: {error}"
            print(words)
            found.append(Fails("metadata_and_data_files_can_be_read", words))
    return verdict(fault, found, syncs)


def verdict(fault: dict[str, Any], found: list[Fails], syncs: list[dict[str, Any]]) -> int:
    columns = {*fault["columns"], ""}
    ours = [one for one in found if one.claim in fault["claims"] and (one.column in columns or not fault["columns"])]
    others = sorted({one.claim for one in found if one not in ours})
    for one in ours:
        print(f"  fails: {one.claim}: {one.where}")
    if ours:
        print(f"\nFAULT PRESENT: {fault['id']}")
        return PRESENT
    if any(one["exit"] for one in syncs):
        print("\nSYNC FAILED: the fault could not be tried; the last lines of sync.log say why")
        return NOT_TRIED
    if not CHECKED & set(fault["claims"]):
        print(f"\nNOT CHECKED: this script does not look for {', '.join(fault['claims'])}")
        return NOT_TRIED
    print(f"\nFAULT GONE: {fault['id']}" + (f"; ANOTHER FAULT: {', '.join(others)}" if others else ""))
    return GONE


def of_the_syncs(syncs: list[dict[str, Any]]) -> Iterator[Fails]:
    log = (HERE / "sync.log").read_text(errors="replace")
    failed = [n for n, one in enumerate(syncs, start=1) if one["exit"] or one["metadata"] is None]
    said = [line.strip() for line in log.splitlines() if "Exception" in line and not line.strip().startswith("at ")]
    print(f"syncs: {len(syncs) - len(failed)} of {len(syncs)} succeed")
    if failed:
        words = f"sync {failed[0]}: {said[-1] if said else 'no metadata, and no word of failure'}"
        print(f"  {words}")
        yield Fails("every_sync_comes_through", words)
        if syncs[-1]["metadata"] is None or failed[-1] == len(syncs):
            yield Fails("metadata_and_data_files_can_be_read", words)


def of_earlier_states(syncs: list[dict[str, Any]]) -> Iterator[Fails]:
    """The rows after each sync but the last, against those that Spark read of the source then."""
    for number, one in enumerate(syncs[:-1], start=1):
        if one["metadata"] and one["rows"] is not None and local(one["metadata"]).exists():
            rows = by_pyiceberg(StaticTable.from_metadata(one["metadata"]))
            if isinstance(rows, int) and rows != one["rows"]:
                words = f"after sync {number}: {rows} rows, {one['rows']} in the source"
                print(words)
                yield Fails("rows_are_as_many_after_a_sync", words)


def of_the_table(table: StaticTable, location: str, source: dict[str, Any], *, partitioned: bool) -> Iterator[Fails]:
    files = [entry.data_file for entry in entries(table)]
    paths = [local(file.file_path) for file in files]
    names = Counter(path.name for path in paths)
    in_source = "unknown" if source["files"] is None else len(source["files"])
    print(f"data files: {len(paths)} in the metadata, in the source {in_source}")
    for path in paths:
        if not path.exists():
            yield Fails("every_file_exists", f"{path.name} does not exist")
    if source["files"] is not None:
        for name in sorted(set(source["files"]) - set(names)):
            yield Fails("no_file_is_missing", f"{name} of the source is not in the metadata")
        for name in sorted(set(names) - set(source["files"])):
            yield Fails("no_file_is_stale", f"{name} is in the metadata and not in the source")
    for name, times in names.items():
        if times > 1:
            yield Fails("no_file_is_listed_twice", f"{name} is listed {times} times")
    there = [(file, path) for file, path in zip(files, paths, strict=True) if path.exists()]
    columns = [column for file, path in there for column in measured(table, file, path)]
    yield from of_counts_of_rows(files, paths)
    yield from of_columns(columns)
    if partitioned and not table.spec().fields:
        yield Fails("spec_is_the_configured_one", "the source is partitioned, and the table has no partition spec")
    yield from of_tuples(table, files, paths)
    yield from of_sizes(table, files)
    yield from of_left_over(table, source)
    yield from of_nulls(table, source)
    yield from of_queries(table, location, [path for _, path in there], columns, source)


def of_sizes(table: StaticTable, files: list[Any]) -> Iterator[Fails]:
    """Stored sizes of columns that hold something."""
    names = {field.field_id: ".".join(name) for name, field in leaves(table.schema().fields)}
    for file in files:
        for id, size in (file.column_sizes or {}).items():
            if id in names and size <= 0 and file.record_count:
                where = f"{Path(file.file_path).name[:24]}… · {names[id]}: column size {size}"
                yield Fails("column_sizes_fit_the_file", where, names[id])


def of_left_over(table: StaticTable, source: dict[str, Any]) -> Iterator[Fails]:
    """Columns that Spark does not show of the source."""
    known = {name.lower() for name in source.get("columns", ())}
    for field in table.schema().fields if known else ():
        if field.name.lower() not in known and not field.name.startswith("_hoodie_"):
            where = f"{field.name}: in the table, and not in the source ({', '.join(sorted(known))})"
            yield Fails("no_column_is_left_over", where, field.name)


def of_nulls(table: StaticTable, source: dict[str, Any]) -> Iterator[Fails]:
    """Where the rows are as many, the nulls of each column against those that Spark reads of the source."""
    try:
        rows = table.scan().to_arrow()
    except Exception as error:  # noqa: BLE001 - `of_queries` reports it
        print(f"the rows cannot be read: {type(error).__name__}")
        return
    if rows.num_rows != source["rows"]:
        return
    for name, nulls in source["nulls"].items():
        found = rows.column(name).null_count if name in rows.column_names else rows.num_rows
        if found != nulls:
            where = f"{name}: {found} of {rows.num_rows} rows are null, {nulls} in the source"
            yield Fails("values_are_those_of_the_source", where, name)


def entries(table: StaticTable) -> Iterator[Any]:
    snapshot = table.current_snapshot()
    for manifest in snapshot.manifests(table.io) if snapshot else []:
        yield from manifest.fetch_manifest_entry(table.io, discard_deleted=True)


def local(path: str) -> Path:
    """The file that a reader looks for: nothing is decoded."""
    return Path(path.removeprefix("file://").removeprefix("file:"))


def leaves(fields: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], NestedField]]:
    for field in fields:
        if isinstance(field.field_type, StructType):
            yield from leaves(field.field_type.fields, (*path, field.name))
        elif isinstance(field.field_type, PrimitiveType):
            yield (*path, field.name), field


def measured(table: StaticTable, file: Any, path: Path) -> Iterator[Column]:
    rows = pq.read_table(path, partitioning=None, coerce_int96_timestamp_unit="us")
    for name, field in leaves(table.schema().fields):
        column = column_of(table.schema().find_field(name[0]), rows.schema)
        if column is None:
            continue
        values = rows.column(column).combine_chunks()
        for part in name[1:]:
            values = pc.struct_field(values, part)
        known = physical(values.drop_null())
        yield Column(
            file=path.name,
            name=".".join(name),
            kind=field.field_type,
            lower=bound(file.lower_bounds, field),
            upper=bound(file.upper_bounds, field),
            least=min(known, default=None),
            greatest=max(known, default=None),
            nulls=(file.null_value_counts or {}).get(field.field_id),
            values=(file.value_counts or {}).get(field.field_id),
            actual_nulls=values.null_count,
            actual_values=len(values),
        )


def column_of(field: NestedField, schema: pa.Schema) -> str | None:
    """The file's column of a field: by its id if the file has ids, else by its name."""
    ids = {int(one.metadata[FIELD_ID]): one.name for one in schema if one.metadata and FIELD_ID in one.metadata}
    if ids:
        return ids.get(field.field_id)
    return field.name if field.name in schema.names else None


def physical(values: pa.Array) -> list[Any]:
    """Values as bounds decode: days and microseconds as integers, texts as UTF-8; NaN has no place in bounds."""
    kind = values.type
    if pa.types.is_date(kind):
        values = values.cast(pa.int32())
    elif pa.types.is_timestamp(kind):
        values = values.cast(pa.timestamp("us", kind.tz), safe=False).cast(pa.int64())
    elif pa.types.is_string(kind):
        values = values.cast(pa.binary())
    return [value for value in values.to_pylist() if value == value]


def bound(stored: dict[int, bytes] | None, field: NestedField) -> Any:
    if not stored or field.field_id not in stored or not isinstance(field.field_type, PrimitiveType):
        return None
    value = from_bytes(field.field_type, stored[field.field_id])
    return value.encode() if isinstance(value, str) else value


def of_counts_of_rows(files: list[Any], paths: list[Path]) -> Iterator[Fails]:
    for file, path in zip(files, paths, strict=True):
        if path.exists() and file.record_count != (rows := pq.read_metadata(path).num_rows):
            yield Fails("record_counts_are_exact", f"{path.name}: {file.record_count} stored, {rows} rows")


def of_columns(columns: list[Column]) -> Iterator[Fails]:
    print("\nfile · column: stored [lower … upper], nulls of values; actual")
    for one in columns:
        if one.name.startswith("_hoodie_"):
            continue
        stored = (
            f"[{show(one.lower, one.kind)} … {show(one.upper, one.kind)}], {count(one.nulls)} of {count(one.values)}"
        )
        actual = (
            f"[{show(one.least, one.kind)} … {show(one.greatest, one.kind)}], {one.actual_nulls} of {one.actual_values}"
        )
        here = f"{one.file[:24]}… · {one.name}: stored {stored}; actual {actual}"
        fails = list(claims_of(one))
        print(("  ! " if fails else "    ") + here)
        for claim, value in fails:
            yield Fails(claim, here, one.name, value)


def claims_of(one: Column) -> Iterator[tuple[str, Any]]:
    nan = [bound for bound in (one.lower, one.upper) if isinstance(bound, float) and bound != bound]
    if nan:
        yield "no_bound_is_nan", None
    elif one.least is None and (one.lower is not None or one.upper is not None):
        yield "bounds_are_of_values", None
    elif one.least is not None:
        if one.lower is None and one.upper is None:
            yield "bounds_are_present", None
            yield "points_skip_what_exact_bounds_would", None
        elif one.lower is not None and one.lower > one.least:
            yield "bounds_contain_values", one.least
        elif one.upper is not None and one.upper < one.greatest:
            yield "bounds_contain_values", one.greatest
        elif one.lower != one.least or (one.upper != one.greatest and not truncated(one)):
            yield "bounds_are_tight", None
    if one.nulls != one.actual_nulls:
        yield "null_counts_are_exact", None
    if one.values != one.actual_values:
        yield "value_counts_are_exact", None


def truncated(one: Column) -> bool:
    """An upper bound of text or bytes may be a prefix, counted up by one."""
    return isinstance(one.upper, bytes) and len(one.upper) < len(one.greatest) and one.upper > one.greatest


def of_tuples(table: StaticTable, files: list[Any], paths: list[Path]) -> Iterator[Fails]:
    """Each file's partition value against the values of its rows, for identity fields."""
    schema, spec = table.schema(), table.spec()
    for file, path in zip(files, paths, strict=True):
        if not path.exists():
            continue
        for place, field in enumerate(spec.fields):
            name = schema.find_column_name(field.source_id) or ""
            rows = pq.read_table(path, partitioning=None)
            top, *inner = name.split(".")
            if top not in rows.column_names:
                continue
            values = rows.column(top).combine_chunks()
            for part in inner:
                values = pc.struct_field(values, part)
            kind = schema.find_type(field.source_id)
            given = [from_physical(value) for value in physical(values.drop_null())] + [None] * bool(values.null_count)
            change = field.transform.transform(kind)
            wanted = {change(value) for value in given}
            stored = file.partition[place]
            if {stored} != wanted:
                rows_have = ", ".join(sorted(map(repr, wanted)))
                where = f"{path.name}: {field.name} is {stored!r}, its rows have {rows_have}"
                yield Fails("tuples_equal_every_row", where, name)


def from_physical(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


def of_queries(
    table: StaticTable, location: str, paths: list[Path], columns: list[Column], source: dict[str, Any]
) -> Iterator[Fails]:
    """All rows, and for a false bound the rows of the value that it leaves out."""
    whole = {"PyIceberg": by_pyiceberg(table), "DuckDB": by_duckdb(location)}
    found = ", ".join(f"{who} {answer}" for who, answer in whole.items())
    print(f"\nall rows: {source['rows']} in the source; found by {found}")
    rows = whole["PyIceberg"]
    if isinstance(rows, str):
        yield Fails("metadata_and_data_files_can_be_read", f"PyIceberg {rows}")
    if isinstance(rows, int) and source["rows"] is not None and rows != source["rows"]:
        yield Fails("rows_are_as_many_after_a_sync", f"{rows} rows, {source['rows']} in the source")
        claim = "no_row_is_missing" if rows < source["rows"] else "no_row_is_shown_twice"
        yield Fails(claim, f"{rows} rows, {source['rows']} in the source")
    false = next((one for one in columns for claim, _ in claims_of(one) if claim == "bounds_contain_values"), None)
    if false is None or "." in false.name or not paths:
        return
    values = pa.chunked_array([pq.read_table(path, partitioning=None).column(false.name) for path in paths])
    path = next(path for path in paths if path.name == false.file)
    own = pq.read_table(path, partitioning=None).column(false.name).drop_null()
    wanted = pc.min(own) if false.lower is not None and false.lower > false.least else pc.max(own)
    matching = pc.sum(pc.equal(values, wanted)).as_py()
    value = wanted.as_py()
    answers = {
        "PyIceberg": by_pyiceberg(table, (false.name, value)),
        "DuckDB": by_duckdb(location, (false.name, value)),
    }
    found = ", ".join(f"{who} {answer}" for who, answer in answers.items())
    query = f"{false.name} = {value}: {matching} rows match; found by {found}"
    print(query)
    if any(isinstance(answer, int) and answer < matching for answer in answers.values()):
        yield Fails("no_matching_file_is_dropped", query, false.name)


def by_pyiceberg(table: StaticTable, equal: tuple[str, Any] | None = None) -> int | str:
    try:
        scan = (
            table.scan(row_filter=EqualTo(term=Reference(equal[0]), value=literal(equal[1]))) if equal else table.scan()
        )
        return int(scan.to_arrow().num_rows)
    except Exception as error:  # noqa: BLE001 - its words are the answer
        return f"refuses ({type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''})"


def by_duckdb(location: str, equal: tuple[str, Any] | None = None) -> int | str:
    try:
        duckdb = import_module("duckdb")
    except ImportError:
        return "not installed"
    try:
        connection = duckdb.connect()
        for name in ("avro", "iceberg"):
            load(connection, name)
        where = f' WHERE "{equal[0]}" = ?' if equal else ""
        query = f"SELECT count(*) FROM iceberg_scan('{location}'){where}"
        return int(connection.execute(query, [equal[1]] if equal else []).fetchone()[0])
    except Exception as error:  # noqa: BLE001 - its words are the answer
        return f"refuses ({str(error).splitlines()[0]})"


def load(connection: Any, name: str) -> None:
    """The extension, from its Python package where that is installed, else from DuckDB's own repository."""
    try:
        folder = Path(str(import_module(f"duckdb_extension_{name}").__file__)).parent
        connection.load_extension(str(next(folder.rglob("*.duckdb_extension"))))
    except ImportError:
        connection.install_extension(name)
        connection.load_extension(name)


def count(stored: int | None) -> str:
    return "absent" if stored is None else str(stored)


def show(value: Any, kind: IcebergType) -> str:
    text = "absent" if value is None else str(value)
    if isinstance(value, bytes):
        text = repr(value.decode(errors="replace"))[1:-1] if isinstance(kind, StringType) else value.hex()
    if isinstance(value, int) and isinstance(kind, DateType | TimestampType | TimestamptzType):
        since = timedelta(days=value) if isinstance(kind, DateType) else timedelta(microseconds=value)
        try:
            text = f"{datetime(1970, 1, 1) + since}".removesuffix(" 00:00:00")
        except OverflowError:
            text = f"{value} since 1970"
    return text if len(text) <= 26 else f"{text[:21]}…"


if __name__ == "__main__":
    sys.exit(main())
