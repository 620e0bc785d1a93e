"""Makes `write.py` of a Delta table that delta-rs writes: data and steps alone, on the kit's `delta_rs.py`."""

from __future__ import annotations

from spark_jobs.battery.table import BatteryTable
from tools.reproduce.arrow_script import imports_of
from tools.reproduce.write_script import step_lines


def by_delta_rs(table: BatteryTable, title: str) -> str:
    """The text of a script that XTable syncs the table in. Raises ValueError for a step that is none of delta-rs."""
    steps = "\n".join(
        line
        for number, step in enumerate(table.steps, start=1)
        for line in step_lines(number, step, "table", "delta-rs")
    )
    given = {"partition_by": [*table.partition_by], "options": dict(table.options)}
    how = "".join(f", {name}={value!r}" for name, value in given.items() if value)
    return (
        f'"""{title}\n\n{table.description} `../reproduce.sh` runs this.\n"""\n\n{imports_of(steps)}'
        "import pyarrow as pa\nfrom delta_rs import Written\n\n"
        f"table = Written({table.name!r}{how})\n{steps}\n\ntable.close()\n"
    )
