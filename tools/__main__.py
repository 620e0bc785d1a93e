"""`python -m tools` lists the commands of this folder; `python -m tools NAME …` runs one."""

from __future__ import annotations

import ast
import runpy
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

COMMANDS = (
    *("gate", "gate.every_upgrade", "gate.procedure", "gate.maven_out_of_reach"),
    *("reproduce", "reproduce.every_finding", "hunt", "frozen", "fuzz"),
    *("translators", "mutations", "round_trips", "shortcuts"),
    *("benchmarks", "benchmarks.hudi_skipping", "benchmarks.synthetic_metadata"),
    *("pages.findings", "pages.extents", "pages.affected", "pages.fields", "pages.gates", "pages.code_read"),
    *("pages.register_draft", "pages.site", "pages.screenshots"),
)


def main(arguments: Sequence[str]) -> None:
    """Runs the command named first with the arguments after it; without one, lists all. Exits 2 for another name."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__, "\n")
        for name in COMMANDS:
            print(f"  {name}\n      {_what_it_does(name)}")
        return
    name, *sys.argv[1:] = arguments
    if name not in COMMANDS:
        print(f"there is no tool {name!r}; there are {', '.join(COMMANDS)}", file=sys.stderr)
        raise SystemExit(2)
    runpy.run_module(f"tools.{name}", run_name="__main__", alter_sys=True)


def _what_it_does(name: str) -> str:
    """The first paragraph of the module's docstring, read without importing it."""
    module = f"tools.{name}" if "." in name else f"tools.{name}.__main__"
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    words = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
    return " ".join(words.split("\n\n")[0].split())


if __name__ == "__main__":
    main(sys.argv[1:])
