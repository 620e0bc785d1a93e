"""docs/findings/code.md: `python -m tools pages.code_read FOLDER` looks up what findings.code.toml names.

FOLDER holds the sources as `owner/name/tag/file`. A place is right if its word is on the line, below the name of its
method. With a place that is not, the command prints it, ends with 1 and writes nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from lab.provision.checked_register import REGISTER, register
from lab.stack.cache import write_atomically
from lab.stack.project import ROOT
from xtable_audit.register.code import Code
from xtable_audit.register.entry import Entry
from xtable_audit.report.pages import GENERATED, place_of

PAGE = ROOT / "docs" / "findings" / "code.md"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools pages.code_read", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the sources, as owner/name/tag/file")
    options = parser.parse_args(arguments)
    entries = register(REGISTER)
    wrong = [fault for entry in entries for code in entry.read.code for fault in faults(code, options.folder)]
    for fault in wrong:
        print(fault, file=sys.stderr)
    if wrong:
        return 1
    write_atomically(PAGE, "\n".join(table(entries, date.today())).encode())
    return 0


def faults(code: Code, folder: Path) -> Iterator[str]:
    """A sentence for each tag at which the place is not as registered."""
    method = code.method.rpartition(".")[2]
    for tag, number in code.lines.items():
        source = folder / code.repository / tag / code.path
        if not source.is_file():
            yield f"{source} is not there."
            continue
        lines = source.read_text(encoding="utf-8").splitlines()
        if code.word not in "".join(lines[number - 1 : number]):
            yield f"{source}:{number} does not have {code.word!r}."
        elif not any(method in line for line in lines[:number]):
            yield f"{source}:{number} is not below {method!r}."


def table(entries: Sequence[Entry], read: date) -> Iterator[str]:
    yield GENERATED.replace("make findings", "python -m tools pages.code_read")
    yield "# Places in the sources that were read"
    yield ""
    yield f"Looked up on {read.isoformat()}: at each tag the line has the word, below the name of its method."
    mains = {main.commit: main.read for entry in entries for main in (entry.read.main, entry.read.hudi_main) if main}
    days = ", ".join(f"{commit[:7]} on {day.isoformat()}" for commit, day in mains.items())
    yield f"At a commit of a main branch it was looked up when that was read: {days}."
    yield ""
    yield "| finding | method | word | lines |"
    yield "|---|---|---|---|"
    for entry in entries:
        for code in entry.read.code:
            places = ", ".join(place_of(code, tag) for tag in code.lines)
            word = code.word.replace("|", "\\|")
            yield f"| [{entry.id}]({entry.id}.md) | `{code.method}` | `{word}` | {places} |"
    yield ""


if __name__ == "__main__":
    sys.exit(main())
