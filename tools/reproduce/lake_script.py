"""Makes `write.py` of a Paimon table: data and steps alone, on the kit's `lake.py`."""

from __future__ import annotations

from collections.abc import Iterator

from spark_jobs.battery.paimon import PRIMARY_KEY
from spark_jobs.battery.table import BatteryTable, Step, Write
from tools.reproduce.arrow_script import imports_of
from tools.reproduce.write_script import write_lines


def laid(table: BatteryTable, title: str) -> str:
    """The text of a script that XTable syncs the table in. Raises ValueError for a step that is no write."""
    steps = "\n".join(line for number, step in enumerate(table.steps, start=1) for line in _step(number, step))
    options = dict(table.options)
    keys = [one for one in options.pop(PRIMARY_KEY, "").split(",") if one]
    given = {"partition_by": [*table.partition_by], "keys": keys, "options": options}
    how = "".join(f", {name}={value!r}" for name, value in given.items() if value)
    return (
        f'"""{title}\n\n{table.description} `../reproduce.sh` runs this.\n"""\n\n{imports_of(steps)}'
        f"import pyarrow as pa\nfrom lake import Lake\n\nlake = Lake({table.name!r}{how})\n{steps}\n\nlake.close()\n"
    )


def _step(number: int, step: Step) -> Iterator[str]:
    action = step.action
    if not isinstance(action, Write):
        raise ValueError(f"{step.words}: the library for Python does not do that")
    yield f"\n# {number}. {step.words}"
    yield from write_lines(action, "lake", "a data file")
    if step.staged:
        yield "lake.sync()"
