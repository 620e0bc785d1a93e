"""`xtable-audit report` and `xtable-audit schema`: what a run left, shown and drawn again, and its contract."""

from __future__ import annotations

import json
from pathlib import Path

import click

from xtable_audit.cli import exits

OF_REPORT = """
\b
Examples
  xtable-audit report out/20261123-081500-orders/audit.json
  xtable-audit report out/latest/audit.json -o report.html
  xtable-audit report --junit out/latest/audit.json > junit.xml
"""
OF_SCHEMA = """
\b
Example
  xtable-audit schema > audit.schema.json
"""


@click.command(epilog=OF_REPORT)
@click.argument("document", type=click.Path(path_type=Path), metavar="AUDIT_JSON")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where report.html is written; beside AUDIT_JSON by default.",
)
@click.option("--junit", "as_junit", is_flag=True, help="Print JUnit XML.")
@click.option("-v", "--verbose", is_flag=True, help="Print the scorecard of an audit too.")
def report(document: Path, output: Path | None, as_junit: bool, verbose: bool) -> int:
    """Show an audit.json again, and write report.html. Exits 0 whatever its verdict, 4 if it is none."""
    from rich.console import Console

    from xtable_audit.report.document import Document, UnreadableDocument
    from xtable_audit.report.html.installed import MISSING, NAME, page
    from xtable_audit.report.junit import junit
    from xtable_audit.report.scorecard import WIDTH
    from xtable_audit.report.show import show

    try:
        read = Document.load(document)
    except UnreadableDocument as error:
        click.echo(error, err=True)
        return exits.BAD_INPUT
    if as_junit:
        click.echo(junit(read), nl=False)
        return exits.OK
    drawn, file = page(read), output or document.with_name(NAME)
    if drawn is not None:
        try:
            file.write_text(drawn, encoding="utf-8")
        except OSError as error:
            raise click.UsageError(f"no report is written: {file}: {error.strerror}") from error
    shown = document if drawn is None else file
    show(Console(width=WIDTH, highlight=False), read, str(shown), verbose=verbose)
    if drawn is None:
        click.echo(MISSING, err=True)
    return exits.BAD_INPUT if drawn is None and output else exits.OK


@click.command(epilog=OF_SCHEMA)
def schema() -> int:
    """Print the JSON schema of audit.json."""
    from xtable_audit.report.document_json import schema

    click.echo(json.dumps(schema(), indent=1, ensure_ascii=False))
    return exits.OK
