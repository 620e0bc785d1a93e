"""`python -m spark_jobs.battery FOLDER`: writes the battery's tables, each at every stage of its history."""

from __future__ import annotations

import argparse
import json
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lab.stack.java import find_java
from lab.stack.mount import Mount
from lab.stack.versions import stack
from lab.store.address import BUCKET, root_of
from spark_jobs import child
from spark_jobs.arguments import paths
from spark_jobs.battery import delta_table, session
from spark_jobs.battery.edges_tried import page
from spark_jobs.battery.jars import resolve_battery_jars
from spark_jobs.battery.late import complete_late
from spark_jobs.battery.one_second import share_a_second
from spark_jobs.battery.optimized import keep_read_optimized
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY, chosen
from spark_jobs.battery.write import write_all
from spark_jobs.job import only_ours, versions_of
from xtable_audit.model.problem import Problem


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m spark_jobs.battery",
        description="Write tables of the battery: FOLDER/<table>/<stage>/… and FOLDER/<table>/table.json.",
        epilog="Prints one line of JSON on stdout for each table. Everything else goes to stderr. Exit code 2 means "
        "that something you can put right is wrong, and the last line says what.",
    )
    parser.add_argument("folder", type=Path, help="where to; it must hold none of the tables yet")
    parser.add_argument(
        "--tables",
        metavar="A,B",
        default="",
        help="names separated by commas, of one release of Hudi (default: all of the default stack's)",
    )
    parser.add_argument(
        "--root",
        metavar="URI",
        default=root_of(BUCKET),
        help="the address below which the tables are valid (default %(default)s)",
    )
    parser.add_argument("--follow", type=int, metavar="FD", help="entries pickled into this open file, one by one")
    parser.add_argument("--jars", type=paths, default=(), metavar="A,B", help="jars to run with (default: the stack's)")
    parser.add_argument("--java-home", type=Path, metavar="DIR", help="a JDK 17 (default: an installed one)")
    parser.add_argument("--memory", default="1g", help="heap of Spark's JVM (default %(default)s)")
    parser.add_argument("--list", action="store_true", help="list the tables and exit")
    parser.add_argument("--edges", action="store_true", help="list which tables try which edges, and what none tries")
    return parser.parse_args(arguments)


def main() -> None:
    child.die_with_parent()
    wanted = parse()
    if wanted.list:
        for table in BATTERY.values():
            print(f"{table.name:32} {table.description}")
        return
    if wanted.edges:
        print(page(), end="")
        return
    stdout = only_ours()
    try:
        for facts in run(wanted):
            stdout.write(json.dumps(facts) + "\n")
            stdout.flush()
    except Problem as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)


def followed(descriptor: int) -> Iterator[BatteryTable]:
    """Entries as they come, until the other end is closed."""
    with os.fdopen(descriptor, "rb") as stream:
        while True:
            try:
                yield pickle.load(stream)
            except EOFError:
                return


def named(tables: str) -> tuple[BatteryTable, ...]:
    """The tables of these names; without a name all of the default stack's."""
    names = [name for name in tables.split(",") if name]
    return chosen(names or [table.name for table in BATTERY.values() if not table.hudi])


def at(root: str, writing: Path) -> Mount:
    """The folder behind the root, created before Hadoop needs it."""
    mount = Mount(root, writing / "tables")
    mount.folder.mkdir()
    return mount


def run(wanted: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Writes the tables; yields the facts of each as soon as it is written."""
    tables = named(wanted.tables) if wanted.follow is None else ()
    taken = [table.name for table in tables if (wanted.folder / table.name).exists()]
    if taken:
        raise Problem(f"{wanted.folder} holds {', '.join(taken)} already: name another folder, or delete them.")
    wanted.folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    jars, java_home = wanted.jars or resolve_battery_jars(tables), wanted.java_home or find_java(stack().java)
    further = delta_table.SETTINGS if any(jar.name.startswith("delta-spark") for jar in jars) else {}
    folder = wanted.folder.absolute()
    with (
        tempfile.TemporaryDirectory(prefix=".writing-", dir=folder) as writing,  # where files can be linked from
        session.opened(jars, java_home, wanted.memory, further, mount := at(wanted.root, Path(writing))) as spark,
    ):
        print(f"Session up after {time.monotonic() - began:.1f} s", file=sys.stderr)
        coming = tables if wanted.follow is None else followed(wanted.follow)
        scratch, versions = Path(writing) / "scratch", versions_of(spark, "HUDI")
        for table in coming:
            for facts in write_all(spark, [table], folder, mount, scratch, versions):
                kept = folder / table.name
                stages = [kept / str(number) for number, _ in enumerate(facts["stages"], start=1)]
                complete_late(stages)
                if table.in_one_second and table.format == "HUDI":
                    share_a_second(stages)
                if table.has_two_views:
                    keep_read_optimized(spark, facts, kept, mount, scratch / f"{table.name}-optimized")
                yield facts


if __name__ == "__main__":
    main()
