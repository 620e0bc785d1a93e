"""Makes `write.py` of an Iceberg table as a source: data and steps alone, on the kit's `iceberg_source.py`."""

from __future__ import annotations

from spark_jobs.battery.iceberg_table import fields_at_first
from spark_jobs.battery.table import BatteryTable
from tools.reproduce.arrow_script import imports_of
from tools.reproduce.write_script import step_lines


def by_pyiceberg(table: BatteryTable, title: str) -> str:
    """The text of a script that XTable syncs the table in. Raises ValueError for a statement, which is Spark's."""
    steps = "\n".join(
        line
        for number, step in enumerate(table.steps, start=1)
        for line in step_lines(number, step, "lake", "PyIceberg")
    )
    fields, options = fields_at_first(table)
    given = {"partition_by": fields, "options": options}
    how = "".join(f", {name}={value!r}" for name, value in given.items() if value)
    return (
        f'"""{title}\n\n{table.description} `../reproduce.sh` runs this.\n"""\n\n{imports_of(steps)}'
        f"import pyarrow as pa\nfrom iceberg_source import Lake\n\nlake = Lake({table.name!r}{how})\n"
        f"{steps}\n\nlake.close()\n"
    )
