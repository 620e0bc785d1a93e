"""`python -m reproduce XTF-004`: writes the table of a finding by plain Spark, syncs it in a fresh JVM, and compares.

Exit status: 1 if the fault is there, 0 if it is gone, 6 if it could not be tried. Without a release that resolves, the
recording is replayed by the suite, which can then end with 1 or 6, and never with 0.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from packaging.version import Version

from provision.register import REGISTER, register
from reproduce.folder import make, table_of
from spark_jobs.battery.jars import resolve_battery_jars
from stack.jars import check_resolvable, is_resolvable, resolve_xtable_jars
from stack.java import find_java
from stack.project import ROOT
from stack.versions import Release, release, releases, stack
from xtable.bundled import check_bundle
from xtable_audit.model.problem import Problem
from xtable_audit.register.entry import Entry

PRESENT, NOT_TRIED = 1, 6


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m reproduce", description=__doc__)
    parser.add_argument("finding", metavar="XTF-…", help="the id of a finding")
    by = parser.add_mutually_exclusive_group()
    by.add_argument("--xtable", metavar="RELEASE", help="a release (default: the newest one that has the finding)")
    by.add_argument("--jar", type=Path, help="the bundled jar that you built, by its command line")
    parser.add_argument("--from", dest="before", metavar="RELEASE", help="the release that makes the first sync")
    parser.add_argument("--folder", type=Path, help="where to work (default: out/reproduce)")
    parser.add_argument("--only-make", action="store_true", help="make the folder, to be copied out, and run nothing")
    options = parser.parse_args(arguments)
    try:
        entry = find(options.finding)
        if options.before is None and all(where.upgrade_from is not None for where in entry.where):
            raise Problem(f"{entry.id} is about upgrades in place: name the release of the first sync, --from 0.2.0")
        folder = options.folder or ROOT / "out" / "reproduce"
        make(entry, folder)
        if options.only_make:
            print(f"{folder} holds the reproduction: ./reproduce.sh {entry.id} runs it, and says what it needs.")
            return 0
        if options.jar is not None:
            print(f"XTable: {options.jar}, {check_bundle(options.jar)}, by its command line")
            return run(entry, folder, {"XTABLE_JAR": str(options.jar.resolve())})
        wanted = release(options.xtable) if options.xtable else newest_with(entry)
        before = release(options.before) if options.before else None
        for one in filter(None, (wanted, before)):
            if not one.known:
                check_resolvable(one)
            elif not is_resolvable(one):
                return replay(entry, wanted)
        print(f"XTable: {wanted.version}, by xtable-core" + (f"; the first sync by {before.version}" if before else ""))
        paths = {"XTABLE_CLASSPATH": class_path(wanted)}
        return run(entry, folder, paths | ({"XTABLE_FROM_CLASSPATH": class_path(before)} if before else {}))
    except Problem as problem:
        print(problem, file=sys.stderr)
        return NOT_TRIED


def find(id: str) -> Entry:
    """The finding. Raises Problem for an unknown id."""
    entries = {entry.id: entry for entry in register(REGISTER)}
    if id not in entries:
        raise Problem(f"there is no finding {id}: docs/findings/README.md lists them")
    return entries[id]


def newest_with(entry: Entry) -> Release:
    """The newest release that has the finding on its table."""
    subject = f"{table_of(entry).name}-xtable"
    having = [
        one
        for one in releases()
        if any(subject in where.subjects and where.releases.contains(Version(one.short)) for where in entry.where)
    ]
    return having[0] if having else releases()[0]


def class_path(wanted: Release) -> str:
    return os.pathsep.join(map(str, resolve_xtable_jars(wanted)))


def run(entry: Entry, folder: Path, xtable: dict[str, str]) -> int:
    """Runs the folder's own script with the jars that this suite resolves."""
    jars = resolve_battery_jars([table_of(entry)])
    given = {
        "SPARK_JARS": os.pathsep.join(map(str, jars)),
        "JAVA_HOME": str(find_java(stack().java)),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run([folder / "reproduce.sh", entry.id], env=os.environ | given | xtable, check=False)
    print(f"The folder {folder} can be copied out: ./reproduce.sh {entry.id} runs it.")
    return done.returncode


def replay(entry: Entry, wanted: Release) -> int:
    """The claims of the finding on the recording of its table, by the suite."""
    print(f"REPLAY: XTable {wanted.version} resolves neither from the local Maven repository nor online.")
    subject = f"{table_of(entry).name}-xtable"
    claims = sorted({claim for where in entry.where if subject in where.subjects for claim in where.claims})
    chosen = f"{subject} and ({' or '.join(claims)})"
    options = ["--recorded", f"--xtable={wanted.version}", "--readers=none", "-n0", "-rx", "-k", chosen]
    command = [sys.executable, "-m", "pytest", "-q", *options]
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    print(done.stdout)
    there = f"known as {entry.id}" in done.stdout
    print(f"REPLAY: {entry.id} is {'in the recording' if there else 'not in the recording'}; nothing was synced.")
    return PRESENT if there else NOT_TRIED


if __name__ == "__main__":
    sys.exit(main())
