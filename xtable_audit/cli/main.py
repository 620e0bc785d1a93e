"""The command `xtable-audit`: subcommands, and the exit status of every way to end."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder

import click

from xtable_audit import __version__
from xtable_audit.affected.command import affected
from xtable_audit.cli import exits
from xtable_audit.cli.check import check
from xtable_audit.cli.guard import guarded
from xtable_audit.cli.known import known
from xtable_audit.cli.report import report, schema

ROOMS = ("tools", "lab", "xtable")
"""Packages of the suite's checkout by which its root is known."""
EXAMPLE = """
\b
Example, in a checkout of the project
  xtable-audit gate 0.3.0-incubating 0.4.0-incubating
"""


@click.command(epilog=EXAMPLE, context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="FROM TO [OPTIONS]")
def gate(arguments: tuple[str, ...]) -> int:
    """Is an upgrade of XTable safe, or must the Iceberg metadata be dropped first?"""
    here = os.getcwd()
    if not all(PathFinder.find_spec(room, [here]) for room in ROOMS):
        raise click.UsageError(
            "the gate writes tables and has XTable translate them: it needs a checkout of the project as the current "
            "folder, and pip install '.[build]' there"
        )
    return subprocess.run([sys.executable, "-m", "tools.gate", *arguments], cwd=here, check=False).returncode


NAME = "xtable-audit"
EPILOG = f"""
\b
Examples
  {NAME} check /lake/orders
  {NAME} known XTF-004
  {NAME} COMMAND --help

\b
Completion, for bash (zsh and fish likewise)
  eval "$(_XTABLE_AUDIT_COMPLETE=bash_source {NAME})"
{exits.HELP}"""


@click.group(epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name=NAME)
def cli() -> None:
    """Can query engines trust the metadata of an Iceberg table to skip files?"""


@cli.command()
def version() -> int:
    """Print the version of this package and of what reads tables."""
    from importlib.metadata import version

    click.echo(f"{NAME} {__version__}")
    for library in ("pyarrow", "pyiceberg", "datafusion"):
        click.echo(f"{library} {version(library)}")
    return exits.OK


for command in (check, known, report, schema, gate, affected):
    cli.add_command(command)


def run(arguments: Sequence[str] | None = None) -> int:
    """The exit status. Whatever a user can correct is one sentence on standard error."""
    from xtable_audit.model.malformed import Malformed
    from xtable_audit.model.problem import Problem, Unreachable

    try:
        status = cli.main(args=None if arguments is None else list(arguments), prog_name=NAME, standalone_mode=False)
        return status if isinstance(status, int) else exits.OK
    except click.ClickException as error:
        error.show()
        return exits.BAD_INPUT
    except Unreachable as error:
        return _ends_with(error, exits.UNREACHABLE)
    except (Problem, Malformed) as error:
        return _ends_with(error, exits.BAD_INPUT)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return exits.CUT_SHORT


def _ends_with(error: Exception, status: int) -> int:
    from xtable_audit.model.printable import printable

    click.echo(printable(str(error), lines=True), err=True)
    return status


def main() -> None:
    # What libraries log may hold a stranger's escapes, and each failure ends in a sentence of ours.
    logging.getLogger().addHandler(logging.NullHandler())
    sys.exit(guarded(run))
