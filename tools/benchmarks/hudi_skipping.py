"""Hudi's published query with its skipping and without: run time as a ratio in one run, and what each index adds.

select count(1) from shipping_address where zip_code = '10001', on 983 files over 50 states, 48 of them New York's; each
release of Hudi in a process of its own. `python -m tools benchmarks.hudi_skipping --files 103` is a smaller one.
Published, at 393,360 files on 240 cores: about 93 % less run time. Here Spark's fixed costs are most of it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
from pyspark.sql import SparkSession

from lab.engines.spark.session import each
from lab.stack.jars import resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.versions import hudi_releases, stack_with_hudi
from spark_jobs import session
from spark_jobs.job import only_ours
from spark_jobs.launch import SHIPS, run_ships
from spark_jobs.shipping.layout import DEFAULT_ONE_IN, HIT_ZIP, LEAST_FILES, PUBLISHED_FILES, Layout, one_in
from spark_jobs.shipping.variant import OLD
from tools.benchmarks.timing import run

RANDOM, COLUMNS = "ship_random", "ship_columns"
ROUNDS = 9
"""Each round runs every way once; the first round is discarded."""
TIMEOUT, LONGEST = 1800, 6 * 3600
MEMORY = "2g"


@dataclass(frozen=True)
class QueryWay:
    """One way to run the query: on which table, with which read options."""

    words: str
    table: str
    skipping: bool
    listed: bool = True

    @property
    def options(self) -> dict[str, str]:
        """`listed` is by the metadata table."""
        return {
            "hoodie.enable.data.skipping": str(self.skipping).lower(),
            "hoodie.metadata.enable": str(self.listed).lower(),
        }


OFF = QueryWay("skipping off", RANDOM, skipping=False)
BOTH = QueryWay("both statistics", RANDOM, skipping=True)
WAYS = (
    OFF,
    QueryWay("off, no metadata table", RANDOM, skipping=False, listed=False),
    QueryWay("column statistics only", COLUMNS, skipping=True),
    BOTH,
)


@dataclass(frozen=True)
class TimedAnswer:
    """A way's rows and files, the same in every round, and the seconds of each round."""

    rows: int
    files: int
    seconds: list[float]


def measure(scale: float) -> Iterator[str]:
    """`scale` is ignored: this table has a scale of its own."""
    del scale
    return compare(one_in(DEFAULT_ONE_IN), with_partition_statistics(), ROUNDS)


def with_partition_statistics() -> list[str]:
    """The releases whose own tables have them."""
    return [one.version for one in hudi_releases() if one.table_version > OLD]


def compare(files: int, releases: Sequence[str], rounds: int) -> Iterator[str]:
    """Writes the tables of each release, runs the ways in turns, and returns the result. At least 2 rounds."""
    for release in releases:
        with tempfile.TemporaryDirectory() as folder:
            stack = stack_with_hudi(release)
            facts = run_ships(
                Path(folder) / "tables",
                {name: SHIPS[name] for name in (RANDOM, COLUMNS)},
                hudi=release,
                files=files,
                jars=resolve_spark_jars(stack),
                java_home=find_java(stack.java),
                log=Path(folder) / "log",
                timeout=TIMEOUT,
            )
            written = sum(one["seconds"]["write"] for one in facts.values())
            yield f"Hudi {release}: {len(facts)} tables of {files} files, written in {written:.0f} s"
            command = ["-m", "tools.benchmarks.hudi_skipping", "--measure", f"{folder}/tables", "--rounds", str(rounds)]
            answers = json.loads(run([*command, "--hudi", release])[1])
        yield from _lines([TimedAnswer(**answer) for answer in answers], Layout(files))


def _lines(answers: Sequence[TimedAnswer], layout: Layout) -> Iterator[str]:
    by_way = dict(zip(WAYS, answers, strict=True))
    _demand_expected(by_way, layout)
    yield "way                      files  median s   of all rounds   skipping off takes"
    for way, answer in by_way.items():
        ratios = [off / one for off, one in zip(by_way[OFF].seconds, answer.seconds, strict=True)]
        yield (
            f"{way.words:<24} {answer.files:5}  {statistics.median(answer.seconds):8.2f}   {_spread(answer.seconds)}"
            f"   {statistics.median(ratios):5.2f} x ({_spread(ratios)})"
        )
    saved = [1 - on / off for on, off in zip(by_way[BOTH].seconds, by_way[OFF].seconds, strict=True)]
    yield (
        f"run time saved by both: {statistics.median(saved):.0%} ({min(saved):.0%} … {max(saved):.0%}), "
        f"in {len(saved)} rounds; files: {by_way[OFF].files / by_way[BOTH].files:.2f} x"
    )


def _demand_expected(by_way: dict[QueryWay, TimedAnswer], layout: Layout) -> None:
    """Raises if the rows are wrong or nothing was skipped: a time would mean nothing then."""
    expected = layout.expected()
    for way, answer in by_way.items():
        wanted = (expected.rows, expected.holding if way.skipping else expected.listed)
        if (answer.rows, answer.files) != wanted:
            found = f"{answer.rows} rows in {answer.files} files"
            raise RuntimeError(f"{way.words}: {found}, not {wanted[0]} in {wanted[1]}")


def _spread(values: Sequence[float]) -> str:
    return f"{min(values):.2f} … {max(values):.2f}"


def measure_all(folder: Path, release: str, rounds: int) -> list[TimedAnswer]:
    """Every way, `rounds` times in turns, in a session of that release; the first round is left out."""
    stack = stack_with_hudi(release)
    # Said to be of many rows, for Java to optimise as it does under a real query.
    opened = session.opened(
        "benchmark", resolve_spark_jars(stack), find_java(stack.java), None, 2, MEMORY, session.FEW_ROWS
    )
    with opened as spark:
        # An index that fails must not look like one that skips nothing.
        spark.conf.set("hoodie.fileIndex.dataSkippingFailureMode", "strict")
        timed = [[_query(spark, folder, way) for way in WAYS] for _ in range(rounds)][1:]
    answers = []
    for of_way in zip(*timed, strict=True):
        ((rows, files),) = {(one[0], one[1]) for one in of_way}
        answers.append(TimedAnswer(rows, files, [one[2] for one in of_way]))
    return answers


def _query(spark: SparkSession, folder: Path, way: QueryWay) -> tuple[int, int, float]:
    """Rows counted, files planned by the scan that was run, seconds from opening the table to the count."""
    began = time.monotonic()
    table = spark.read.format("hudi").options(**way.options).load(str(folder / way.table))
    table.createOrReplaceTempView("shipping_address")
    query = spark.sql(f"select count(1) from shipping_address where zip_code = '{HIT_ZIP}'")
    counted = query._jdf.collectAsList().get(0).getLong(0)
    seconds = time.monotonic() - began
    (scan,) = each(query._jdf.queryExecution().executedPlan().collectLeaves())
    return int(counted), int(scan.metrics().apply("numFiles").value()), seconds


SCANNERS = {"one machine": (), "Spark, local[2]": ("--scanner", "spark", "--master", "local[2]")}
"""How the values are read: options of `check`."""


def shipping(scale: float) -> Iterator[str]:
    """Many real small files: Hudi's published table by Spark, listed by PyIceberg, checked on one machine and by Spark.

    At scale 1 it has the published 393,360 files, at 0.025 one of 40. The shorter of two runs each: the files are in
    memory then, and what counts is the work.
    """
    release = hudi_releases()[0].version
    stack, files = stack_with_hudi(release), max(int(PUBLISHED_FILES * scale), LEAST_FILES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        facts = run_ships(
            folder / "hudi",
            {RANDOM: SHIPS[RANDOM]},
            hudi=release,
            files=files,
            jars=resolve_spark_jars(stack),
            java_home=find_java(stack.java),
            log=folder / "log",
            timeout=LONGEST,
        )
        yield f"{files:,} files written by Hudi {release} in {facts[RANDOM]['seconds']['write']:.0f} s"
        location = _listed_by_pyiceberg(folder / "iceberg", folder / "hudi")
        check = ["-m", "xtable_audit", "check", location, "--yes", "--allow-prefix", f"file://{folder}/hudi"]
        check += ["--no-cache", "--out", str(folder / "out")]
        ways = {"metadata alone": ("--metadata-only",)} | SCANNERS
        for words, options in ways.items():
            seconds = min(run([*check, *options])[0] for _ in range(2))
            yield f"{words:<20}{seconds:8.1f} s   {files / seconds:8,.0f} files/s"


def _listed_by_pyiceberg(folder: Path, hudi: Path) -> str:
    """Iceberg metadata over the table's base files; the address of its metadata.json."""
    paths = sorted(str(path) for path in (hudi / RANDOM).glob("*/*.parquet"))
    folder.mkdir()
    catalog = SqlCatalog("bench", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")
    catalog.create_namespace("bench")
    table = catalog.create_table(f"bench.{RANDOM}", pq.read_schema(paths[0]).remove_metadata())
    table.add_files([f"file://{path}" for path in paths], check_duplicate_files=False)
    catalog.close()
    return str(table.metadata_location)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools benchmarks.hudi_skipping", description=__doc__)
    parser.add_argument("--files", type=int, default=one_in(DEFAULT_ONE_IN), help="default %(default)s")
    parser.add_argument("--hudi", action="append", metavar="RELEASE", help="as often as wanted (default: all of 1.x)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="default %(default)s; the first is discarded")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)  # the child: measures, and prints JSON
    options = parser.parse_args()
    releases = options.hudi or with_partition_statistics()
    if options.measure:
        stdout = only_ours()  # the JVM prints, too
        json.dump([asdict(answer) for answer in measure_all(options.measure, releases[0], options.rounds)], stdout)
        stdout.close()
        return
    for line in compare(options.files, releases, options.rounds):
        print(line)


if __name__ == "__main__":
    main()
