"""`xtable-audit report` and `xtable-audit schema`: what a run left, shown and drawn again, and its contract."""

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
  xtable-audit report out/latest/audit.json -o report.html
  xtable-audit report --as summary out/latest/audit.json >> "$GITHUB_STEP_SUMMARY"
  xtable-audit report --as sarif --shown-at xtable.yaml audit.json > audit.sarif
  xtable-audit report --diff out/monday/audit.json out/tuesday/audit.json
  xtable-audit report --diff out/monday/audit.json out/tuesday/audit.json -o diff.html
"""
FORMS = ("screen", "junit", "summary", "sarif", "annotations", "outputs", "badge")
OF_SCHEMA = """
\b
Example
  xtable-audit schema > audit.schema.json
"""


@click.command(epilog=OF_REPORT)
@click.argument("documents", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="AUDIT_JSON…")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="""
    Where the page is written. Of one run that is report.html, beside AUDIT_JSON by default; with --diff there is none
    by default.""",
)
@click.option(
    "--diff",
    "as_diff",
    is_flag=True,
    help="""
    Of two runs, the older first: what is new, gone and changed, in Markdown, and with -o as a page too.""",
)
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
def report(
    documents: tuple[Path, ...], output: Path | None, as_diff: bool, form: str, shown_at: Path | None, verbose: bool
) -> int:
    """Show an audit.json again and draw its report.html, or show what differs between two.

    Exits 0 whatever the verdict, 4 if a file is none.
    """
    from rich.console import Console

    from xtable_audit.report.diff import diff, markdown
    from xtable_audit.report.document import Document, UnreadableDocument
    from xtable_audit.report.html.installed import NAME, diff_page, page
    from xtable_audit.report.scorecard import WIDTH
    from xtable_audit.report.show import show

    if output and form != "screen":
        raise click.UsageError("-o goes with the screen and with --diff: it says where the page is written")
    if len(documents) != 1 + as_diff:
        raise click.UsageError("name two files, the older first" if as_diff else "name one file, or two with --diff")
    try:
        read = [Document.load(path) for path in documents]
        differing = diff(*read) if as_diff else None
    except UnreadableDocument as error:
        click.echo(error, err=True)
        return exits.BAD_INPUT
    if differing is not None:
        click.echo(markdown(differing), nl=False)
        return exits.BAD_INPUT if output and not _written(diff_page(differing), output) else exits.OK
    if form != "screen":
        click.echo(rendered(read[0], form, shown_at), nl=False)
        return exits.OK
    file = output or documents[0].with_name(NAME)
    drawn = _written(page(read[0]), file)
    shown = file if drawn else documents[0]
    show(Console(width=WIDTH, highlight=False), read[0], str(shown), verbose=verbose)
    return exits.BAD_INPUT if output and not drawn else exits.OK


def _written(drawn: str | None, file: Path) -> bool:
    """Whether the page is written; why not is said."""
    from xtable_audit.report.html.installed import MISSING

    if drawn is None:
        click.echo(MISSING, err=True)
        return False
    try:
        file.write_text(drawn, encoding="utf-8")
    except OSError as error:
        click.echo(f"no page is written: {file}: {error.strerror}", err=True)
        return False
    return True


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
