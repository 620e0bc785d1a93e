"""`xtable-audit gate`: what the package alone cannot answer."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.machinery import PathFinder

import click

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
