"""Spark's classes as Java keeps them: loaded and verified once, then mapped into each JVM (JEP 310 and 350).

    python -m lab.stack.class_data

makes the archive, once for a Java and a Spark. With it a session is up in 3 s instead of 7.5, and a small table costs
11 s of processor time instead of 15 (measured). Making it takes some 50 s, so that nothing makes it of its own accord
but `make test`, which starts dozens of sessions; every session takes it where it is. The archive holds Spark's own
classes, for any class path that begins with them, as all of ours do. Java refuses one that another Java made, or whose
jars have changed, and starts as if there were none.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyspark

from lab.stack.cache import Cache, key_of
from lab.stack.java import find_java
from lab.stack.project import ROOT
from lab.stack.versions import stack
from xtable_audit.model.problem import Problem, last_line

KIND = "class-data"
ARCHIVE = "spark.jsa"
# What Java says of archives goes to its standard output, where its parent waits for other words.
QUIET = "-Xlog:cds*=off"
SECONDS = 300


def options(java_home: Path, cache: Cache | None = None) -> list[str]:
    """The JVM's options for the archive of this Java and this Spark; none where there is no archive."""
    entry = (cache or Cache()).lookup(KIND, _key(java_home))
    return [f"-XX:SharedArchiveFile={entry / ARCHIVE}", QUIET] if entry else []


def make(java_home: Path, cache: Cache | None = None) -> Path:
    """The archive. Raises Problem if its session fails, or if this Java makes none."""

    def build(folder: Path) -> None:
        archive, log = folder / ARCHIVE, folder / "log"
        command = [sys.executable, "-m", "lab.stack.load_classes", str(java_home), str(archive)]
        with log.open("w") as output:
            done = subprocess.run(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output, timeout=SECONDS
            )
        if done.returncode or not archive.is_file():
            words = last_line(log.read_text(errors="replace"))
            raise Problem(f"The Java of {java_home} makes no archive of Spark's classes: {words}")

    return (cache or Cache()).publish(KIND, _key(java_home), build) / ARCHIVE


def _key(java_home: Path) -> str:
    """Of what Java compares: itself, and each jar's place, size and time."""
    jars = sorted((Path(pyspark.__file__).parent / "jars").iterdir())
    files = [java_home.resolve() / "lib" / "modules", *jars]
    return key_of(files=[[str(file), file.stat().st_size, file.stat().st_mtime_ns] for file in files if file.exists()])


if __name__ == "__main__":
    try:
        make(find_java(stack().java))
    except Problem as problem:
        sys.exit(str(problem))
