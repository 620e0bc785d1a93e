"""XTF-077: DuckDB skips no file of a Delta table by a timestamp.

Needs `pip install duckdb==1.5.5 duckdb-extension-delta==1.5.5 deltalake pyarrow`, and neither Java nor XTable. delta-rs
writes a table of two files, a month each, and the first file is taken away. A query about the second month is answered
if DuckDB skips the first file, and fails if it opens it: by a number it is answered.

Ends with 10 if the query by a timestamp opens the file, 0 if it is answered, 6 if the one by a number fails too, or the
other for another reason.
"""

import datetime as dt
import sys
import tempfile
from pathlib import Path

import duckdb
import duckdb_extension_delta
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

EXTENSION = next(Path(duckdb_extension_delta.__file__).parent.rglob("*.duckdb_extension"))
MONTHS = {month: [dt.datetime(2023, month, day) for day in (1, 28)] for month in (1, 2)}
BY_NUMBER = "month = 2"
BY_TIME = "moment >= TIMESTAMPTZ '2023-02-01 00:00:00+00' AND moment < TIMESTAMPTZ '2023-03-01 00:00:00+00'"
PRESENT, GONE, NOT_TRIED = 10, 0, 6


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        first = written(folder)
        first.unlink()
        print(f"DuckDB {duckdb.__version__}; the file of the first month is not there\n")
        answers = {where: by_duckdb(folder, where) for where in (BY_NUMBER, BY_TIME)}
        for where, answer in answers.items():
            print(f"{where}: {answer if isinstance(answer, str) else f'{answer} rows'}")
        print()
        if answers[BY_NUMBER] != len(MONTHS[2]):
            print("COULD NOT RUN: the query by a number does not skip the file either")
            return NOT_TRIED
        answer = answers[BY_TIME]
        if isinstance(answer, str) and first.name not in answer:
            print("COULD NOT RUN: DuckDB's refusal is not about that file")
            return NOT_TRIED
        print("FAULT GONE: XTF-077" if answer == len(MONTHS[2]) else "FAULT PRESENT: XTF-077")
        return GONE if answer == len(MONTHS[2]) else PRESENT


def written(folder: str) -> Path:
    """Writes the table, and returns the file of the first month."""
    for month, times in MONTHS.items():
        rows = pa.table({"month": [month] * len(times), "moment": pa.array(times, pa.timestamp("us", "UTC"))})
        write_deltalake(folder, rows, mode="append")
    [first] = DeltaTable(folder, version=0).file_uris()
    return Path(first.removeprefix("file://"))


def by_duckdb(folder: str, where: str) -> int | str:
    connection = duckdb.connect()
    connection.load_extension(str(EXTENSION))
    try:
        return int(connection.execute(f"SELECT count(*) FROM delta_scan('{folder}') WHERE {where}").fetchall()[0][0])
    except duckdb.Error as error:
        return f"fails ({error})"


if __name__ == "__main__":
    sys.exit(main())
