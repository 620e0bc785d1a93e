"""`xtable-audit report` and `xtable-audit schema`: what a run left, shown again, and its contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from xtable_audit.cli import exits

if TYPE_CHECKING:
    from xtable_audit.report.document import Document

OF_REPORT = """
\b
Examples
  xtable-audit report out/20261123-081500-orders/audit.json
  xtable-audit report --as summary out/latest/audit.json >> "$GITHUB_STEP_SUMMARY"
  xtable-audit report --as sarif --shown-at xtable.yaml audit.json > audit.sarif
  xtable-audit report --diff out/monday/audit.json out/tuesday/audit.json
"""
FORMS = ("screen", "junit", "summary", "sarif", "annotations", "outputs", "badge")
OF_SCHEMA = """
\b
Example
  xtable-audit schema > audit.schema.json
"""


@click.command(epilog=OF_REPORT)
@click.argument("documents", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="AUDIT_JSON…")
@click.option("--diff", "as_diff", is_flag=True, help="Of two runs, the older first: what is new, gone and changed.")
@click.option(
    "--as",
    "form",
    type=click.Choice(FORMS),
    default="screen",
    show_default=True,
    help="""
    What to print: the screen; JUnit XML; Markdown for a job's summary; SARIF for code scanning; one GitHub workflow
    command for each new finding, ten at most; verdict and findings as outputs of a step; or a badge for shields.io.""",
)
@click.option(
    "--shown-at",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="""
    With sarif and annotations: the file of your repository that names the table or the release, such as xtable.yaml
    or pom.xml. Findings are shown at that line.""",
)
@click.option("-v", "--verbose", is_flag=True, help="Print the scorecard of an audit too.")  # fmt: skip
def report(documents: tuple[Path, ...], as_diff: bool, form: str, shown_at: Path | None, verbose: bool) -> int:
    """Show an audit.json again, or what differs between two. Exits 0 whatever the verdict, 4 if a file is none."""
    from rich.console import Console

    from xtable_audit.report.diff import diff
    from xtable_audit.report.document import Document, UnreadableDocument
    from xtable_audit.report.scorecard import WIDTH
    from xtable_audit.report.show import show

    if len(documents) != 1 + as_diff:
        raise click.UsageError("name two files, the older first" if as_diff else "name one file, or two with --diff")
    try:
        read = [Document.load(path) for path in documents]
        if as_diff:
            click.echo(diff(*read), nl=False)
            return exits.OK
    except UnreadableDocument as error:
        click.echo(error, err=True)
        return exits.BAD_INPUT
    if form == "screen":
        show(Console(width=WIDTH, highlight=False), read[0], str(documents[0]), verbose=verbose)
    else:
        click.echo(rendered(read[0], form, shown_at), nl=False)
    return exits.OK


def rendered(document: Document, form: str, shown_at: Path | None) -> str:
    """The document in one of FORMS but the screen. Raises Problem if the file `shown_at` cannot be read."""
    from xtable_audit.report.badge import badge
    from xtable_audit.report.junit import junit
    from xtable_audit.report.place import find
    from xtable_audit.report.sarif import sarif
    from xtable_audit.report.summary import summary
    from xtable_audit.report.workflow_commands import outputs, workflow_commands

    place = find(document, shown_at) if shown_at else None
    match form:
        case "junit":
            return junit(document)
        case "summary":
            return summary(document)
        case "badge":
            return badge(document)
        case "outputs":
            return outputs(document)
        case "sarif":
            return sarif(document, place)
        case _:
            return workflow_commands(document, place)


@click.command(epilog=OF_SCHEMA)
def schema() -> int:
    """Print the JSON schema of audit.json."""
    from xtable_audit.report.document_json import schema

    click.echo(json.dumps(schema(), indent=1, ensure_ascii=False))
    return exits.OK
