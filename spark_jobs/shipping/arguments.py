"""The command line of `python -m spark_jobs.shipping_address`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.stack.versions import HudiRelease, hudi_release, hudi_releases
from spark_jobs.arguments import location, paths
from spark_jobs.shipping.layout import DEFAULT_ONE_IN, DEFAULT_ROWS, ZIPS, Layout, one_in
from spark_jobs.shipping.variant import INDEXES, TABLE_VERSIONS, Variant, demand_writable

PROGRAM = "spark_jobs.shipping_address"
DESCRIPTION = """\
Write the Hudi table shipping_address, partitioned by state: the table of Hudi's published measurement
(select count(1) from shipping_address where zip_code = '10001': 393,360 files without partition statistics,
19,304 with them), in shape and at any scale. At 1:400, the default, it has 983 files, 48 of them New York's.
One task of Spark makes and writes one file: there is no shuffle, no Python worker and no input to be read.
"""
EPILOG = """\
On a cluster: name its --master (spark://…, yarn), and a TARGET that every executor reaches under the same name,
s3://bucket/prefix or a shared file system. Executors use nothing else of this machine: the jars go to them with the
application, the rows are made from their numbers, and there is no server on the driver that they must reach. The
cluster's own settings hold (SPARK_CONF_DIR, HADOOP_CONF_DIR); without AWS_ACCESS_KEY_ID so does its way to S3, for
which fs.s3.impl must be set. The published table's number of files, with about 2.5 MB in each:

  python -m spark_jobs.shipping_address s3://bucket/shipping --one-in 1 --rows-per-file 25000 \\
      --master spark://driver:7077 --memory 10g

Prints one line of JSON on stdout for each table: rows, files, files_by_state, indexes, table_version, seconds,
versions. Everything else goes to stderr. Exit code 2 means bad input or a missing part; the last line says
what to do.
"""


@dataclass(frozen=True)
class ShippingArguments:
    """One run of the script. `tables` are the variants to be written, by their addresses."""

    tables: dict[str, Variant]
    files: int
    rows_per_file: int
    hudi: HudiRelease
    table_version: int | None  # None: the release's own
    master: str
    jars: tuple[Path, ...]  # none: resolved by the stack
    java_home: Path | None
    memory: str

    def layout(self, variant: Variant) -> Layout:
        return Layout(self.files, self.rows_per_file, variant.zips)


def parse(arguments: Sequence[str] | None = None) -> ShippingArguments:
    """Reads the command line (`arguments` or the process's own); argparse ends the process when it is malformed.

    Raises Problem for a well-formed value that is not available.
    """
    options = _parser().parse_args(arguments)
    release = hudi_release(options.hudi)
    tables = _tables(options)
    for variant in tables.values():
        demand_writable(release, options.table_version or release.table_version, variant.indexes)
    parsed = ShippingArguments(
        tables=tables,
        files=options.files if options.files is not None else one_in(options.one_in),
        rows_per_file=options.rows_per_file,
        hudi=release,
        table_version=options.table_version,
        master=options.master,
        jars=options.jars,
        java_home=options.java_home,
        memory=options.memory,
    )
    for variant in tables.values():
        parsed.layout(variant)  # raises its Problem before Spark starts
    return parsed


def _tables(options: argparse.Namespace) -> dict[str, Variant]:
    if options.variant:
        return {f"{options.target}/{folder}": variant for variant, folder in options.variant}
    return {options.target: Variant(options.zips, options.indexes)}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m {PROGRAM}",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "target",
        type=location,
        help="an empty place: s3://bucket/prefix (store from the usual AWS_… variables), file:///path or a path",
    )
    scale = parser.add_mutually_exclusive_group()
    scale.add_argument(
        "--one-in", type=float, default=DEFAULT_ONE_IN, metavar="N",
        help="the published 393,360 files divided by N (default %(default)s: 983 files; 1: all)",
    )  # fmt: skip
    scale.add_argument("--files", type=int, help="how many files, instead")
    parser.add_argument("--rows-per-file", type=int, default=DEFAULT_ROWS, help="default %(default)s")
    parser.add_argument(
        "--zips", choices=ZIPS, default="random",
        help="random: every file spans its whole state, so that statistics of columns and of partitions leave the same "
        "files; sorted: each file has its part of the state, and the two come apart (default %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--indexes", choices=INDEXES, default="both",
        help="statistics of zip_code: of columns and of partitions (both), of columns alone (column), or none "
        "(default %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--variant", type=_variant, action="append", metavar="ZIPS:INDEXES=FOLDER",
        help="instead of --zips and --indexes, and as often as wanted: a table in FOLDER below TARGET, such as "
        "random:column=ship_columns; one JVM writes them all",
    )  # fmt: skip
    known = ", ".join(release.version for release in hudi_releases())
    parser.add_argument(
        "--hudi", default=hudi_releases()[0].version, metavar="RELEASE", help=f"of {known} (default %(default)s)"
    )
    parser.add_argument(
        "--table-version", type=int, choices=TABLE_VERSIONS,
        help="an older version than the release's own; 6 is what XTable up to 0.4 reads, and has no partition "
        "statistics",
    )  # fmt: skip
    parser.add_argument("--master", default="local[2]", help="where Spark runs (default %(default)s)")
    parser.add_argument(
        "--jars", type=paths, default=(), metavar="A,B",
        help="jars to run with, separated by commas (default: the release's, from the cache)",
    )  # fmt: skip
    parser.add_argument("--java-home", type=Path, metavar="DIR", help="a JDK 17 (default: an installed one)")
    parser.add_argument("--memory", default="2g", help="heap of the driver's JVM (default %(default)s)")
    return parser


def _variant(text: str) -> tuple[Variant, str]:
    kind, _, folder = text.partition("=")
    if not folder:
        raise argparse.ArgumentTypeError(f"{text!r} names no folder: write {kind}=FOLDER")
    try:
        return Variant.parse(kind), folder
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
