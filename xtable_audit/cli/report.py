"""`xtable-audit report` and `xtable-audit schema`: what a run left, drawn and printed again, and its contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from xtable_audit.cli import exits

if TYPE_CHECKING:
    from xtable_audit.report.diff import Diff
    from xtable_audit.report.document import Document
    from xtable_audit.report.gate import Gate

FORMS = ("screen", "junit", "summary", "sarif", "annotations", "outputs", "badge")
OF_GATE = ("screen", "summary", "outputs")
"""The forms that a gate has."""


def rendered(of: Document | Gate, form: str, shown_at: Path | None) -> str:
    """The document in one of FORMS but the screen, a gate in one of OF_GATE.

    Raises Problem if the file `shown_at` cannot be read, UsageError for a form that a gate does not have.
    """
    from xtable_audit.report.for_ci import outputs
    from xtable_audit.report.gate import Gate

    if form == "outputs":
        return outputs(of)
    return _of_gate(of, form) if isinstance(of, Gate) else _of_run(of, form, shown_at)


def _of_gate(gate: Gate, form: str) -> str:
    from xtable_audit.report.gate_page import summary

    if form not in OF_GATE:
        raise click.UsageError(f"a gate has no {form}: choose {', '.join(OF_GATE)}")
    return summary(gate)


def _of_run(document: Document, form: str, shown_at: Path | None) -> str:
    from xtable_audit.report.for_ci import badge, find, junit, sarif, workflow_commands
    from xtable_audit.report.summary import summary

    place = find(document, shown_at) if shown_at else None
    match form:
        case "junit":
            return junit(document)
        case "summary":
            return summary(document)
        case "badge":
            return badge(document)
        case "sarif":
            return sarif(document, place)
        case _:
            return workflow_commands(document, place)


OF_REPORT = """
\b
Examples
  xtable-audit report out/20261123-081500-orders/audit.json
  xtable-audit report out/latest/audit.json -o report.html
  xtable-audit report --as summary out/latest/audit.json >> "$GITHUB_STEP_SUMMARY"
  xtable-audit report --as sarif --shown-at xtable.yaml audit.json > audit.sarif
  xtable-audit report --diff out/monday/audit.json out/tuesday/audit.json
  xtable-audit report --diff out/monday/audit.json out/tuesday/audit.json -o diff.html
  xtable-audit report out/gate-20261123-081500-1f2e/gate.json
"""
OF_SCHEMA = """
\b
Example
  xtable-audit schema > audit.schema.json
"""


@click.command(epilog=OF_REPORT)
@click.argument("documents", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DOCUMENT…")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="""
    Where the page is written: by default report.html beside an audit.json, gate.html beside a gate.json. With --diff
    there is none by default.""",
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
    command for each new finding, ten at most; verdict and findings as outputs of a step; or a badge for shields.io. A
    gate has screen, summary and outputs.""",
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
    """Show an audit.json or a gate.json again and draw its page, or show what differs between two runs.

    Exits 0 whatever the verdict, 4 if a file is none.
    """
    from xtable_audit.report.document import UnreadableDocument
    from xtable_audit.report.gate import Gate
    from xtable_audit.report.show import load

    if output and form != "screen":
        raise click.UsageError("-o goes with the screen and with --diff: it says where the page is written")
    if len(documents) != 1 + as_diff:
        raise click.UsageError("name two files, the older first" if as_diff else "name one file, or two with --diff")
    try:
        read = [load(path) for path in documents]
        differing = _diff(*read) if as_diff else None
    except UnreadableDocument as error:
        click.echo(error, err=True)
        return exits.BAD_INPUT
    if differing is not None:
        return _show_diff(differing, output)
    [one], [path] = read, documents
    if form != "screen":
        click.echo(rendered(one, form, shown_at), nl=False)
        return exits.OK
    if isinstance(one, Gate):
        return _show_gate(one, path, output)
    return _show(one, path, output, verbose=verbose)


def _diff(*read: Document | Gate) -> Diff:
    """Raises UnreadableDocument for what has no differences to another run."""
    from xtable_audit.report.diff import diff
    from xtable_audit.report.document import Document, UnreadableDocument

    before, after = read
    if not isinstance(before, Document) or not isinstance(after, Document):
        raise UnreadableDocument("A gate says itself what differs: name the audit.json of two runs.")
    return diff(before, after)


def _show_diff(of: Diff, output: Path | None) -> int:
    from xtable_audit.report.diff import markdown
    from xtable_audit.report.html import diff_page

    click.echo(markdown(of), nl=False)
    return exits.BAD_INPUT if output and not _written(diff_page(of), output) else exits.OK


def _show_gate(gate: Gate, path: Path, output: Path | None) -> int:
    from xtable_audit.report.gate_page import page
    from xtable_audit.report.html import GATE_NAME, gate_page

    file = output or path.with_name(GATE_NAME)
    drawn = _written(gate_page(gate), file)
    click.echo(f"{page(gate)}\n report   {file if drawn else path}")
    return exits.BAD_INPUT if output and not drawn else exits.OK


def _show(document: Document, path: Path, output: Path | None, *, verbose: bool) -> int:
    from rich.console import Console

    from xtable_audit.report.html import NAME, page
    from xtable_audit.report.matrix import WIDTH
    from xtable_audit.report.show import show

    file = output or path.with_name(NAME)
    drawn = _written(page(document), file)
    show(Console(width=WIDTH, highlight=False), document, str(file if drawn else path), verbose=verbose)
    return exits.BAD_INPUT if output and not drawn else exits.OK


def _written(drawn: str | None, file: Path) -> bool:
    """Whether the page is written; why not is said."""
    from xtable_audit.report.html import MISSING

    if drawn is None:
        click.echo(MISSING, err=True)
        return False
    try:
        file.write_text(drawn, encoding="utf-8")
    except OSError as error:
        click.echo(f"no page is written: {file}: {error.strerror}", err=True)
        return False
    return True


@click.command(epilog=OF_SCHEMA)
def schema() -> int:
    """Print the JSON schema of audit.json."""
    from xtable_audit.report.document_json import schema

    click.echo(json.dumps(schema(), indent=1, ensure_ascii=False))
    return exits.OK
