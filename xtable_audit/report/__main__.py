"""Prints the first screen of an old run again: `python -m xtable_audit.report out/latest/audit.json`.

Exit 0: printed, whatever the verdict; 4: no audit.json of this schema version. `-v` prints the scorecard above it,
`--junit` JUnit XML instead, `--schema` (without a run) the JSON schema of audit.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from xtable_audit.report.document import Document, UnreadableDocument
from xtable_audit.report.junit import junit
from xtable_audit.report.scorecard import WIDTH
from xtable_audit.report.show import show

EXIT_BAD_INPUT = 4
"""Same as pytest's exit code for a usage error."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m xtable_audit.report", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("document", nargs="?", type=Path, metavar="AUDIT_JSON", help="of a run")
    what.add_argument("--schema", action="store_true", help="print the JSON schema of audit.json")
    parser.add_argument("--junit", action="store_true", help="print JUnit XML")
    parser.add_argument("-v", "--verbose", action="store_true", help="print the scorecard too")
    given = parser.parse_args(arguments)
    if given.schema:
        from xtable_audit.report.document_json import schema

        print(json.dumps(schema(), indent=1, ensure_ascii=False))
        return 0
    try:
        document = Document.load(given.document)
    except UnreadableDocument as error:
        print(error, file=sys.stderr)
        return EXIT_BAD_INPUT
    if given.junit:
        print(junit(document), end="")
        return 0
    console = Console(width=WIDTH, highlight=False)
    show(console, document, str(given.document), verbose=given.verbose)
    return 0


if __name__ == "__main__":
    sys.exit(main())
