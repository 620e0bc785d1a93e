"""`xtable-audit check LOCATION`: one table of the user's own."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from xtable_audit.cli import exits, guard
from xtable_audit.cli.options import Size, Time, accept, accepted_ids, fail_on, ignore
from xtable_audit.cli.report_folder import Reports
from xtable_audit.model.finding import Verdict
from xtable_audit.model.interpreter import read_by_threads
from xtable_audit.model.limits import LIMITS, MIB, Limits

if TYPE_CHECKING:
    from xtable_audit.locate.locate import Reach
    from xtable_audit.scan import Scanner
    from xtable_audit.table.stored_metrics import StoredMetrics

EXAMPLES = """
\b
Examples
  xtable-audit check /lake/orders
  xtable-audit check s3://lake/orders/metadata/v42.metadata.json
  xtable-audit check prod.sales.orders --branch audit
  xtable-audit check delta:s3://lake/clicks
  xtable-audit check s3://lake/orders --metadata-only
  xtable-audit check s3://lake/orders --sample 200 --seed 7
  xtable-audit check s3://lake/orders --scanner spark --master yarn
  xtable-audit check s3://lake/orders --since 1961614613955196769
  xtable-audit check s3://lake/orders --columns created_at,city
  xtable-audit check s3://lake/orders --where "created_at >= DATE '2023-05-05' AND city = 'Oslo'"
  xtable-audit check s3://lake/orders --source hudi:s3://lake/orders --config xtable.yaml
  xtable-audit check s3://lake/orders --accept XTF-012 --json > audit.json
  xtable-audit check s3://lake/orders --fail-on UNSOUND --ignore ci/ignore.toml
"""
OUT = Path("out")
POOL = ("ARROW_DEFAULT_MEMORY_POOL", "system")
"""Arrow takes memory from the C library: its own pools keep more of what is freed, a tenth of the most that a check of
393,360 files takes (docs/measured.md). A variable of the user's stands.
"""
UNENCODED = re.compile("[\ud800-\udfff]")
"""Bytes of an argument that are no UTF-8, as Python has them."""


@click.command(epilog=EXAMPLES + exits.HELP, context_settings={"max_content_width": 100})
@click.argument("location")
@click.option(
    "--snapshot", type=int, metavar="ID", help="Judge this snapshot, or version of Delta, instead of the current one."
)
@click.option("--as-of", type=Time(), metavar="TIME", help="Judge the state that was current then (ISO 8601, UTC).")
@click.option("--branch", metavar="NAME", help="Judge this branch or tag.")
@click.option("--metadata-only", is_flag=True, help="Read no data file.")
@click.option("--columns", metavar="NAMES", help="Compare the values of these columns alone, separated by commas.")
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="Read N data files at random, and odd ones.")
@click.option("--seed", type=int, default=0, show_default=True, help="What samples are drawn by.")
@click.option("--max-bytes", type=Size(), metavar="SIZE", help="Read a sample of at most this size, such as 2GB.")
@click.option(
    "--since",
    metavar="ID",
    type=int,
    help="Compare the values of those files alone that this older snapshot or version had not.",
)
@click.option(
    "--where",
    multiple=True,
    metavar="SQL",
    help="Count live, planned and matching files of this condition; may be repeated.",
)
@click.option("--claim", "claims", multiple=True, metavar="ID", help="Check this claim alone; may be repeated.")
@fail_on
@accept
@ignore
@click.option(
    "--source",
    metavar="hudi:LOCATION|delta:LOCATION|parquet:LOCATION|paimon:LOCATION|iceberg:LOCATION",
    help="The table that XTable made this one from: compare live files, columns, partition spec and rows with it.",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="With --source: XTable's own configuration, which has the partition spec of a Hudi table.",
)
@click.option("--yes", is_flag=True, help="Do not ask before data is read.")
@click.option("--json", "as_json", is_flag=True, help="Print audit.json instead of the screen.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=OUT,
    show_default=True,
    help="The folder for reports.",
)
@click.option(
    "--allow-prefix",
    "allow",
    multiple=True,
    metavar="FOLDER",
    help="Another folder with files of the table, beside the one that holds its metadata; nothing else is read.",
)
@click.option(
    "--max-metadata",
    type=click.IntRange(min=1),
    default=LIMITS.metadata // MIB,
    show_default=True,
    metavar="MiB",
    help="The largest metadata file that is read, inflated.",
)
@click.option(
    "--max-memory",
    type=Size(),
    metavar="SIZE",
    help="The most memory that the check takes, such as 4GB; by default half of the machine's, at most 8 GiB.",
)
@click.option(
    "--max-time",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="MINUTES",
    help="The most time for reading and judging metadata, and for judging values. Reading values may take ten times "
    "the estimate.",
)
@click.option(
    "--scanner",
    type=click.Choice(["local", "spark"]),
    default="local",
    show_default=True,
    help="Who reads the values: this machine, or a Spark cluster.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="Files that this machine reads at once. Of a remote store 64 by default, or 16 if one has 16 MiB. "
    "Many files are read by several processes.",
)
@click.option("--master", metavar="URL", help="With --scanner spark: the cluster; by default the one that is set.")
@click.option("--no-cache", is_flag=True, help="Read every data file again, and keep no metrics for the next check.")
def check(
    location: str,
    snapshot: int | None,
    as_of: datetime | None,
    branch: str | None,
    columns: str | None,
    claims: tuple[str, ...],
    fail_on: str,
    accepted: tuple[str, ...],
    ignore: Path | None,
    source: str | None,
    config: Path | None,
    yes: bool,
    as_json: bool,
    out: Path,
    no_cache: bool,
    allow: tuple[str, ...],
    max_metadata: int,
    max_memory: int | None,
    max_time: float,
    scanner: str,
    master: str | None,
    **more: Any,
) -> int:
    """Check whether readers can trust the metadata of the Iceberg or Delta table at LOCATION.

    LOCATION is a metadata.json, a table's folder, catalog.namespace.table as PyIceberg is configured, or delta: and the
    folder of a Delta table. Nothing is ever written to the table or its catalog.
    """
    if not location.isprintable() and UNENCODED.search(location):
        raise click.UsageError("LOCATION is no UTF-8: tables have names of characters")
    if sum(one is not None for one in (snapshot, as_of, branch)) > 1:
        raise click.UsageError("name one of --snapshot, --as-of and --branch")
    if more["since"] is not None and (more["sample"] is not None or more["max_bytes"] is not None):
        raise click.UsageError("--since reads all that is new: it goes with neither --sample nor --max-bytes")
    if config is not None and source is None:
        raise click.UsageError("--config goes with --source: it says how the source is translated")
    if master is not None and scanner != "spark":
        raise click.UsageError("--master goes with --scanner spark: it names the cluster")
    os.environ.setdefault(*POOL)  # before Arrow is there
    from rich.console import Console  # late, with all that reads tables: `--help` answers at once

    from xtable_audit.check.kept_values import default_folder
    from xtable_audit.check.options import Budget, Options
    from xtable_audit.check.run import check as run
    from xtable_audit.check.source import AskedSource
    from xtable_audit.cli.watch import Terminal
    from xtable_audit.formats.check_support import Chosen
    from xtable_audit.formats.installed import known_claims
    from xtable_audit.formats.named_source import NamedSource
    from xtable_audit.locate.locate import locate
    from xtable_audit.locate.stores import AT_ONCE, Stores
    from xtable_audit.model.memory import bounded
    from xtable_audit.register.ignore_file import read_ignore_file
    from xtable_audit.report.show import show

    options = Options(
        location=location,
        command=shlex.join(["xtable-audit", *sys.argv[1:]]),
        chosen=Chosen(snapshot, as_of, branch),
        claims=_claims(claims),
        columns=tuple(name.strip() for name in columns.split(",") if name.strip()) if columns else (),
        budget=Budget(max_time * 60, max_memory, lambda until: guard.tell(until=until)),
        fail_on=Verdict(fail_on),
        accepted=accepted_ids(accepted),
        ignored=read_ignore_file(ignore, known_claims()),
        source=AskedSource(NamedSource.parse(source), config) if source else None,
        kept=None if no_cache else default_folder(),
        cluster=_cluster(master) if scanner == "spark" else None,
        **more,
    )
    errors = Console(stderr=True, highlight=False)
    person = sys.stdin.isatty() and sys.stderr.isatty()
    reports = Reports(out, errors)
    watch = Terminal(errors, asks=person and not yes, quiet=as_json and not person, keep=reports.keep)
    known_claims()  # loads each format: code is no memory of a table's, and an import without memory fails in any way
    read_by_threads()
    with bounded(options.budget.most_memory):
        try:
            stores = Stores(at_once=options.threads or AT_ONCE)
            document = run(locate(location, stores, allow, Limits(max_metadata * MIB)), options, watch)
        finally:
            watch.close()
        report = reports.write(document, options.budget)
        if as_json:
            sys.stdout.write(document.to_json())
        else:
            show(Console(highlight=False, soft_wrap=False), document, report)
    return document.exit_status if document.complete else exits.CUT_SHORT


def _cluster(master: str | None) -> Callable[[Reach, StoredMetrics], Scanner]:
    """Starts the session at once: what cannot work fails before metadata is read."""
    from xtable_audit.packs import sizes_of
    from xtable_audit.spark.scanner import SparkScanner, session

    spark = session(master)

    def scanner(reach: Reach, stored: StoredMetrics) -> Scanner:
        return SparkScanner(reach, sizes_of(stored), spark)

    return scanner


def _claims(ids: tuple[str, ...]) -> tuple[str, ...]:
    from xtable_audit.formats.installed import known_claims

    for id in ids:
        if id not in (known := known_claims()):
            raise click.BadParameter(f"there is no claim {id}{_close(id, known)}", param_hint="--claim")
    return ids


def _close(word: str, words: Sequence[str]) -> str:
    close = get_close_matches(word, words, n=1)
    return f"; did you mean {close[0]}?" if close else ""
