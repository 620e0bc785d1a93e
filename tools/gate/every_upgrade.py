"""`make gates`: the gate of every upgrade between the known releases that resolve, for hours.

    python -m tools gate.every_upgrade [--main 0.5.0-SNAPSHOT] [pytest's options]

Each is `python -m tools gate`, into `out/gates/`; its page goes to `docs/gates/`, with the table of its README. A run
that was stopped goes on with the first gate that has no answer under the same options, unless `--again`. A gate that
cannot say leaves the page of before.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

from lab.stack.cache import write_atomically
from lab.stack.jars import is_resolvable
from lab.stack.project import ROOT
from lab.stack.versions import Release, release, releases
from tools.gate.__main__ import main as gate
from tools.pages.gates import BETWEEN, FOLDER, write
from xtable_audit.model.outcome import EXIT_INCONCLUSIVE

OUT = ROOT / "out" / "gates"
DONE = "done.json"
SELECTS = ("-k", "-m", "--deselect", "--target", "--delta-target-by")
"""Options by which a gate answers for some tables alone, or for another target."""
ANSWERS = (0, 1)
"""Exit statuses of a gate that can say."""
RunGate = Callable[[Sequence[str]], int]


def main(arguments: Sequence[str] | None = None, run: RunGate = gate) -> int:
    given = _parse(arguments)
    options = [word for word in given.options if word != "--"]
    if given.pages == FOLDER and any(word.startswith(SELECTS) for word in options):
        print(
            "The options select tables or a target; docs/gates is of all, to Iceberg: name another folder by --pages."
        )
        return 4
    cannot_say = []
    for before, to in upgrades(given.main):
        name = f"{before.version}{BETWEEN}{to.version}"
        if not given.again and _is_done(given.out / name, options):
            print(f"{name}: as it is, for it was made with these options")
        elif run([f"--gate-out={given.out / name}", before.version, to.version, *options]) in ANSWERS:
            write_atomically(given.pages / f"{name}.md", (_newest(given.out / name) / "gate.md").read_bytes())
            write(given.pages)
            write_atomically(given.out / name / DONE, json.dumps(options).encode())
        else:
            cannot_say.append(name)
    for name in cannot_say:
        print(f"{name} cannot say: see {given.out / name}; its page is that of before")
    return EXIT_INCONCLUSIVE if cannot_say else 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m tools gate.every_upgrade", description=__doc__, formatter_class=formatter
    )
    parser.add_argument("--main", default="", metavar="VERSION", help="a build of XTable's main in Maven's cache, too")
    parser.add_argument("--again", action="store_true", help="also what is done")
    parser.add_argument("--out", type=Path, default=OUT, metavar="DIR", help="folder of the gates' reports")
    parser.add_argument("--pages", type=Path, default=FOLDER, metavar="DIR", help="folder of the pages")
    given, options = parser.parse_known_args(arguments)
    given.options = options
    return given


def upgrades(main: str) -> Iterator[tuple[Release, Release]]:
    """Each older release with each newer one that resolves; `main` is a version after them, or ""."""
    known = sorted(filter(is_resolvable, releases()), key=lambda one: one.order)
    yield from combinations([*known, *([release(main)] if main else [])], 2)


def _is_done(folder: Path, options: Sequence[str]) -> bool:
    done = folder / DONE
    return done.is_file() and json.loads(done.read_text(encoding="utf-8")) == list(options)


def _newest(folder: Path) -> Path:
    return max(folder.glob("gate-*"), key=lambda one: one.name)


if __name__ == "__main__":
    sys.exit(main())
