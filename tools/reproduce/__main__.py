"""Shows a finding without this suite's judge, by plain Spark, XTable or a reader: `python -m tools reproduce XTF-004`.

A finding of XTable: Spark writes its table, a fresh JVM syncs it, and what is stored is compared with the values. One
of Hudi: Spark alone. Exit status: 1 if the fault is there as its page says, 0 if it is gone, 6 if it could not be tried
or has another form. Where no release of XTable resolves, the suite replays the recording, which can then end with 1 or
6, and never with 0.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from lab.provision.checked_register import REGISTER, register
from lab.stack.cache import Cache
from lab.stack.jars import check_resolvable, is_resolvable, resolve_spark_jars, resolve_xtable_jars
from lab.stack.java import find_java
from lab.stack.packages import installed
from lab.stack.project import ROOT
from lab.stack.versions import (
    Release,
    hudi_release,
    paimon_packages,
    release,
    releases,
    stack,
    stack_with_hudi,
    transform_packages,
)
from spark_jobs.battery.jars import resolve_battery_jars
from spark_jobs.battery.table import BatteryTable
from tools.reproduce.finding import (
    ReproducedBy,
    demanded_way,
    newest_hudi_with,
    newest_with,
    of_upgrades,
    replay,
    table_of,
    writer_of,
)
from tools.reproduce.folder import is_iceberg, is_paimon, make
from tools.reproduce.servers import servers_for
from xtable.bundled import check_bundle
from xtable_audit.model.problem import Problem
from xtable_audit.register.entry import Entry
from xtable_audit.register.register import now_called

NOT_TRIED = 6
READ_BY_SCRIPTS = (
    *("XTABLE_JAR", "XTABLE_CLASSPATH", "XTABLE_FROM_CLASSPATH", "XTABLE_RELEASE"),
    *("SOURCE_JARS", "PACKAGES", "SPARK_JARS", "HUDI", "WARM", "RECOVER"),
)
"""What the folder's scripts read of the environment: set by this command alone."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    try:
        folder = options.folder or ROOT / "out" / "reproduce"
        if options.finding is None:
            make(register(REGISTER), folder)
            print(f"{folder} holds all reproductions: ./reproduce.sh XTF-… runs one; README.md says what it needs.")
            return 0
        entry = find(options.finding)
        way = demanded_way(entry)
        demand_options_of(entry, way, options)
        make([entry], folder)
        if options.only_make:
            print(
                f"{folder} holds the reproduction: ./reproduce.sh {entry.id} runs it, and README.md says what it needs."
            )
            return 0
        match way:
            case ReproducedBy.SYNC:
                return by_sync(entry, folder, options)
            case ReproducedBy.SPARK:
                return run(entry, folder, by_spark(entry, options))
            case ReproducedBy.READER:
                with servers_for(entry, folder) as servers:
                    return run(entry, folder, servers)
    except Problem as problem:
        print(problem, file=sys.stderr)
        return NOT_TRIED


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools reproduce", description=__doc__)
    parser.add_argument("finding", metavar="XTF-…", nargs="?", help="the id of a finding; all, with --only-make")
    parser.add_argument("--xtable", metavar="RELEASE", help="a release (default: the newest one that has the finding)")
    parser.add_argument("--hudi", metavar="RELEASE", help="for a finding of Hudi (default: the newest that has it)")
    parser.add_argument("--jar", type=Path, help="the bundled jar of XTable or Hudi that you built")
    parser.add_argument("--from", dest="before", metavar="RELEASE", help="the release that makes the first sync")
    parser.add_argument(
        "--warm",
        action="store_true",
        help="load first what a JVM that has run many syncs has loaded (XTF-030, XTF-061)",
    )
    parser.add_argument(
        "--recover", action="store_true", help="at the end move XTable's metadata away and sync: is the fault gone?"
    )
    parser.add_argument("--folder", type=Path, help="where to work (default: out/reproduce)")
    parser.add_argument("--only-make", action="store_true", help="make the folder, to be copied out, and run nothing")
    options = parser.parse_args(arguments)
    if options.finding is None and not options.only_make:
        parser.error("name a finding, or --only-make the folders of all")
    if options.xtable and options.jar:
        parser.error("name a release or a jar, not both")
    return options


def find(id: str) -> Entry:
    """The finding. Raises Problem for an unknown id."""
    entries = {entry.id: entry for entry in register(REGISTER)}
    if id not in entries:
        raise Problem(now_called(id, register(REGISTER)))
    return entries[id]


OPTIONS = {
    ReproducedBy.SYNC: {"xtable", "jar", "before", "warm", "recover"},
    ReproducedBy.SPARK: {"hudi", "jar"},
    ReproducedBy.READER: set[str](),
}
"""The options that each way takes."""


def demand_options_of(entry: Entry, way: ReproducedBy, options: argparse.Namespace) -> None:
    """Raises Problem for an option that does not concern the finding, and for a missing one."""
    for name in ("xtable", "hudi", "jar", "before", "warm", "recover"):
        if getattr(options, name) and name not in OPTIONS[way]:
            spelled = {"before": "from"}.get(name, name)
            raise Problem(f"{entry.id} is reproduced by {way}, which --{spelled} does not concern")
    if of_upgrades(entry) and not (options.before or options.only_make):
        raise Problem(
            f"{entry.id} is about upgrades in place: name the release of the first sync, --from 0.2.0 "
            f"(make reproduce FINDING={entry.id} FROM=0.2.0)"
        )


def by_sync(entry: Entry, folder: Path, options: argparse.Namespace) -> int:
    """By XTable's release or jar. Raises Problem for one that is unknown or damaged."""
    table = table_of(entry)
    given = without_spark(table) if is_paimon(table) or is_iceberg(table) or table.by_delta_rs else of_spark(table)
    before, writer = release(options.before) if options.before else None, writer_of(entry)
    if options.jar is not None:
        words, xtable = check_bundle(options.jar), {"XTABLE_JAR": str(options.jar.resolve())}
        by = "its command line" if writer.by_command_line else "the class that its command line calls"
        print(f"XTable: {options.jar}, {words}, by {by}", end="")
    else:
        wanted = release(options.xtable) if options.xtable else newest_with(entry)
        for one in filter(None, (wanted, before)):
            writer.demand(one.version)
            if not one.known:
                check_resolvable(one)
            elif not is_resolvable(one):
                return replay(entry, wanted)
        xtable = {"XTABLE_CLASSPATH": class_path(wanted), "XTABLE_RELEASE": wanted.version}
        print(f"XTable: {wanted.version}, by xtable-core", end="")
    print(f"; the first sync by {before.version}" if before else "", flush=True)
    first = {"XTABLE_FROM_CLASSPATH": class_path(before)} if before else {}
    ways = {name: "1" for name, on in (("WARM", options.warm), ("RECOVER", options.recover)) if on}
    return run(entry, folder, given | xtable | first | ways)


def of_spark(table: BatteryTable) -> dict[str, str]:
    return {"SPARK_JARS": paths(resolve_battery_jars([table]))}


def without_spark(table: BatteryTable) -> dict[str, str]:
    """What the script of a table needs that Python alone writes."""
    if is_paimon(table):
        return beside_paimon()
    if is_iceberg(table) and table.partition_spec:
        return {"PACKAGES": str(installed("pyiceberg-core", transform_packages(), Cache()))}
    return {}


def beside_paimon() -> dict[str, str]:
    """What a script needs beside XTable and Python: Paimon's libraries for both languages."""
    newest = releases()[0]
    bare, whole = (resolve_xtable_jars(newest, sources=sources) for sources in ((), ("PAIMON",)))
    return {
        "SOURCE_JARS": paths([jar for jar in whole if jar not in bare]),
        "PACKAGES": str(installed("pypaimon", paimon_packages(), Cache())),
    }


def by_spark(entry: Entry, options: argparse.Namespace) -> dict[str, str]:
    """The environment of Spark with Hudi's release or jar. Raises Problem for one that is unknown or not there."""
    wanted = hudi_release(options.hudi) if options.hudi else newest_hudi_with(entry)
    jars = resolve_spark_jars(stack_with_hudi(wanted.version))
    if options.jar is None:
        return {"HUDI": wanted.version, "SPARK_JARS": paths(jars)}
    if not options.jar.is_file():
        raise Problem(f"there is no file {options.jar}")
    return {"SPARK_JARS": str(options.jar.resolve())}


def class_path(wanted: Release) -> str:
    return paths(resolve_xtable_jars(wanted))


def paths(files: Sequence[Path]) -> str:
    return os.pathsep.join(map(str, files))


def run(entry: Entry, folder: Path, given: Mapping[str, str]) -> int:
    """Runs the folder's own script in this environment."""
    ours = {
        "JAVA_HOME": str(find_java(stack().java)),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    theirs = {name: value for name, value in os.environ.items() if name not in READ_BY_SCRIPTS}
    done = subprocess.run([folder / "reproduce.sh", entry.id], env=theirs | ours | dict(given), check=False)
    print(f"The folder {folder} can be copied out: ./reproduce.sh {entry.id} runs it.")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
