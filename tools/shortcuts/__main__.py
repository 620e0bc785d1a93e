"""What readers answer from metadata alone, on a healthy table: `python -m tools shortcuts`, half a minute by default.

Each is asked for counts, least and greatest values by its default settings. The request log says what it fetched of the
data files: nothing (the answer came from metadata), their footers alone, or values. Every answer is held against the
values. By default those are asked that pip installs; `--readers spark,trino` asks these alone, `all` every one but
Firebolt; `--page` asks all, and writes the table of docs/readers.md anew. Exits 1 if an answer is wrong (one of Daft
0.7.26 is), and 2 if a reader does not run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from lab.engines.readers import ADAPTERS, find, open_reader
from lab.engines.registry import Order, open_engine
from lab.stack.cache import Cache
from lab.stack.project import ROOT
from lab.store import moto
from lab.store.running import RunningStore
from tools.shortcuts.answers import PAGE, OfReader, ask, ask_limit, lines, lines_of_choice, written, wrong
from tools.shortcuts.questions import CHOOSING, QUESTIONS, HealthyTable
from tools.shortcuts.questions import written as written_table
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import DELTA, ICEBERG
from xtable_audit.readers.subprocess_reader import SubprocessReader

ALL = tuple(
    name for name, adapter in ADAPTERS.items() if {*adapter.formats} & {ICEBERG, DELTA} and adapter.engine != "firebolt"
)
"""Firebolt's Core comes as a container image alone."""
BY_DEFAULT = tuple(name for name in ALL if ADAPTERS[name].embedded)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools shortcuts", description=__doc__)
    parser.add_argument("--readers", metavar="NAME,…", default=",".join(BY_DEFAULT))
    parser.add_argument("--page", action="store_true", help="write the table of docs/readers.md anew")
    wanted = parser.parse_args(arguments)
    names = ALL if wanted.page or wanted.readers == "all" else tuple(wanted.readers.split(","))
    try:
        with moto.start() as running, tempfile.TemporaryDirectory(prefix="xtable-audit-shortcuts-") as folder:
            found = [*asked(names, running, Path(folder))]
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 2
    print("\n".join([*lines(found), "", *lines_of_choice(found)]))
    if wanted.page:
        written(found)
        print(f"{PAGE.relative_to(ROOT)} is written")
    said = [*wrong(found)]
    print("\n".join(said) or "every answer is that of the values")
    return 1 if said else 0


def asked(names: Sequence[str], running: RunningStore, folder: Path) -> Iterator[OfReader]:
    """Each reader on the table of the first format that it opens. Raises Problem for one that there is not."""
    adapters = {name: find(name) for name in names}
    tables = {one: written_table(one, running.store, folder) for one in {each.formats[0] for each in adapters.values()}}
    for name, adapter in adapters.items():
        guest = running.guest(name)
        with ExitStack() as engines:
            handle = _handle(adapter.engine, running, folder, engines) if adapter.engine else None
            with closing(open_reader(name, guest.store, handle)) as reader:
                yield of_reader(reader, guest, tables[adapter.formats[0]])


def of_reader(reader: SubprocessReader, guest: RunningStore, table: HealthyTable) -> OfReader:
    """`guest` is the store under the reader's key. Raises Problem if the engine is gone, or the store logs nothing."""
    if guest.log is None:
        raise Problem("What a reader fetches is not known of a store without a request log.")
    heads = {**QUESTIONS, **CHOOSING}
    every = [one for many in heads.values() for one in many]
    answered = {one.asked: one for one in ask(reader, guest.log, table, every)}
    by_default = {head: [answered[one] for one in many] for head, many in heads.items()}
    [turned_off] = ask(reader, guest.log, table, every[:1], shortcut=False)
    return OfReader(reader.name, reader.version, by_default, turned_off, ask_limit(reader, table))


def _handle(engine: str, running: RunningStore, logs: Path, engines: ExitStack) -> Any:
    order = Order("auto", lambda: running, logs, Cache(), lambda step: None, {"catalog": "file"})
    opened = open_engine(engine, order)
    engines.callback(opened.stop)
    return opened.handle


if __name__ == "__main__":
    sys.exit(main())
