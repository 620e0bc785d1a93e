"""Why a file was kept or skipped: what its metadata says of the columns that a predicate asks about."""

from __future__ import annotations

from audit.evidence import Evidence
from audit.predicate import Predicate, literal
from audit.rows import columns_of


def bounds_in_words(evidence: Evidence, path: str, predicate: Predicate) -> str:
    """`part-0.parquet (pickup_month: '2023-01' … '2023-01', 0 of 9 null)`, by the manifest entry of `path`."""
    place = evidence.paths.index(path)
    said = "; ".join(f"{column}: {_of(evidence, column, place)}" for column in sorted(columns_of(predicate)))
    return f"{path.rsplit('/', 1)[-1]} ({said})"


def _of(evidence: Evidence, column: str, place: int) -> str:
    entry = {name: evidence.columns[column][name][place].as_py() for name in evidence.columns[column].column_names}
    lower, upper = ("none" if entry[side] is None else literal(entry[side]) for side in ("lower", "upper"))
    if entry["null_count"] is None:
        return f"{lower} … {upper}"
    return f"{lower} … {upper}, {entry['null_count']} of {entry['value_count']} null"
