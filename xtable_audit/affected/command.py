"""`xtable-audit affected --source hudi:LOCATION`: which known findings a source table meets."""

from __future__ import annotations

import json
from pathlib import Path

import click

from xtable_audit.cli.options import accept, accepted_ids, fail_on, ignore
from xtable_audit.model.finding import Verdict
from xtable_audit.model.subject_id import DELTA, HUDI, ICEBERG, TARGETS

ALL = "all"
UNREGISTERED = {
    HUDI: (HUDI, "Hudi tables"),
    DELTA: (DELTA, "Delta tables"),
    "parquet": (HUDI, "folders of Parquet files"),
}
"""By the source's format: the target of which the register knows nothing, and what such tables are called."""
NOT_AFFECTED, AFFECTED = 0, 1
MOST = 50
"""Footers read by default."""
EPILOG = """
\b
Examples
  xtable-audit affected --source hudi:s3://lake/orders --config xtable.yaml
  xtable-audit affected --source delta:/lake/orders --xtable 0.3.0
  xtable-audit affected --source delta:/lake/orders --delta-source-by kernel
  xtable-audit affected --source hudi:/lake/orders --certain
  xtable-audit affected --source hudi:/lake/orders --target delta
  xtable-audit affected --source delta:/lake/orders --target hudi
  xtable-audit affected --source parquet:/lake/clicks
  xtable-audit affected --source paimon:/lake/db.db/orders
  xtable-audit affected --source iceberg:/lake/orders --target delta
  xtable-audit affected --source iceberg:/lake/orders --target hudi
\b
Exit status
  0  no known finding of XTable, or advice alone (--fail-on)
  1  the table meets a finding, or may meet one
  4  malformed input: no such table, release, …
  6  the store does not answer, or refuses
"""


@click.command(epilog=EPILOG, context_settings={"max_content_width": 100})
@click.option(
    "--source",
    required=True,
    metavar="FORMAT:LOCATION",
    help="The source table's root folder, of format hudi, delta, iceberg, paimon or parquet.",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="XTable's own configuration, with sourceFormat, targetFormats and datasets.",
)
@click.option(
    "--target",
    type=click.Choice((*TARGETS, HUDI, ALL)),
    default=ICEBERG,
    show_default=True,
    help="The format that XTable writes; all is Iceberg and Delta. A finding of one of the two writers of Delta alone "
    "says so.",
)
@click.option(
    "--delta-source-by",
    "reader",
    type=click.Choice(("spark", "kernel")),
    default="spark",
    show_default=True,
    help="What of XTable reads a Delta table: Spark, as in RunSync, or Delta Kernel, as in its Spark runtime on 3.5.",
)
@click.option("--xtable", metavar="RELEASE", help="The release that translates, or main; by default the newest.")
@click.option("--since", metavar="RELEASE", help="The older release that began the Iceberg metadata.")
@click.option(
    "--footers",
    type=click.IntRange(min=0),
    default=MOST,
    show_default=True,
    metavar="N",
    help="Read the footers of N data files at most.",
)
@click.option("--certain", is_flag=True, help="Name only findings that facts decide, none that the table may meet.")
@fail_on
@accept
@ignore
@click.option("--json", "json_form", is_flag=True, help="Print JSON.")
def affected(
    source: str,
    config: Path | None,
    target: str,
    reader: str,
    xtable: str | None,
    since: str | None,
    footers: int,
    certain: bool,
    fail_on: str,
    accepted: tuple[str, ...],
    ignore: Path | None,
    json_form: bool,
) -> int:
    """List the known findings of XTable that a table of Hudi, Delta, Iceberg or Paimon, or a folder of Parquet files,
    may meet.

    Reads the table's settings, timeline, log or manifests, schema and some footers; no data. Nothing is translated or
    written. Findings of readers and of Hudi's own skipping are not looked for.
    """
    from xtable_audit.affected.affected import Certainty, refusal  # late: `--help` answers at once
    from xtable_audit.affected.affected import affected as named
    from xtable_audit.affected.answer import TargetAnswer, Weighed
    from xtable_audit.affected.releases import FIRST_KERNEL, XTableRelease, covered, release_of
    from xtable_audit.affected.render import as_json, rendered
    from xtable_audit.formats.configuration import read_configuration
    from xtable_audit.formats.named_source import NamedSource, read_source
    from xtable_audit.model.problem import Problem
    from xtable_audit.register.affects import FIRST_RECORDED, KERNEL, SPARK
    from xtable_audit.register.bundled import bundled_register, path_of_register
    from xtable_audit.register.entry import FIRST_TO_HUDI
    from xtable_audit.register.ignore_file import read_ignore_file

    excused = (accepted_ids(accepted), read_ignore_file(ignore))
    known = covered(path_of_register())
    release = release_of(xtable, known) if xtable else known[-1]
    began = release_of(since, known) if since else None
    if began is not None and began.version > release.version:
        raise Problem(f"--since {began.name} is newer than --xtable {release.name}; name the release that came first")
    if target != ICEBERG and began is not None:
        raise Problem(
            f"--since is of Iceberg metadata; no upgrade of another target is registered, so ask --target {ICEBERG}"
        )
    configuration = read_configuration(config, source.partition(":")[2]) if config else None
    of, targets = NamedSource.parse(source).format, TARGETS if target == ALL else (target,)
    target_of_none, tables = UNREGISTERED.get(of, ("", "")) if target != ICEBERG else ("", "")
    if target_of_none in targets:
        raise Problem(
            f"{source}: what XTable makes of {tables} as {target_of_none.capitalize()} is not registered; "
            f"ask --target {ICEBERG}"
        )
    reads_by = KERNEL if reader == "kernel" else SPARK
    if target == HUDI and release.version < FIRST_TO_HUDI:
        raise Problem(f"what XTable {release.name} writes as Hudi was not tried; 0.4.0 is the first that was")
    if reads_by == KERNEL and release.version < FIRST_KERNEL:
        raise Problem(f"XTable {release.name} does not read Delta by Delta Kernel; 0.4.0 is the first that does")
    if reads_by == KERNEL and of != DELTA:
        raise Problem(f"{source} is no Delta table, and --delta-source-by {reader} is of these; leave it out")
    if reads_by == KERNEL and target == HUDI:
        raise Problem(f"what XTable writes as Hudi of Delta tables that {KERNEL} reads was not tried; leave out one")
    if of == target == ICEBERG:
        raise Problem(f"{source} is an Iceberg table already; ask --target {DELTA}")
    if release.version < FIRST_RECORDED.get(of, release.version):
        raise Problem(
            f"what XTable {release.name} makes of {of.capitalize()} tables is not registered; "
            f"{FIRST_RECORDED[of]}.0 is the first release of which it is"
        )
    writing = [release.to(one, reads_by) for one in targets if one != of]
    table = read_source(source, configuration, footers=footers)
    entries = bundled_register()

    def answer(release: XTableRelease) -> TargetAnswer:
        later = [one.to(release.target, release.reader) for one in known if one.version > release.version]
        found = named(table, release, entries, since=began, later=later)
        if certain:
            found = [one for one in found if one.certainty is Certainty.MEETS]
        weighed = Weighed.of(found, Verdict(fail_on), *excused, names=(source, source.partition(":")[2]))
        return TargetAnswer(release, found, weighed, refusal(table, release))

    answers = [answer(one) for one in writing]
    if json_form:
        click.echo(json.dumps(as_json(source, answers, fail_on, target), indent=1))
    else:
        texts = [rendered(table, one, entries, names_target=target != ICEBERG) for one in answers]
        click.echo("\n".join(texts), nl=False)
    return AFFECTED if any(one.fails for one in answers) else NOT_AFFECTED
