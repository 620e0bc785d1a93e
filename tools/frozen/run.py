"""What is named on the command line: an audit.json, a gate's folder, or `check`; each a run with its lines."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from lab.provision.register import REGISTER, register
from tools.frozen.check import check_recorded
from tools.frozen.lines import Lines, lines_of
from xtable.writer import ICEBERG, WRITERS
from xtable_audit.model.problem import Problem
from xtable_audit.report.document import Document

CHECK = "check"
"""The word for `xtable-audit check` of all recorded tables, which runs here."""
BESIDE_THE_POINT = {"--out": 1, "-n": 1, "--maxprocesses": 1, "-p": 1, "-q": 0, "-v": 0}
"""Options that change no outcome, to how many words follow each."""


@dataclass(frozen=True)
class FrozenRun:
    """`name` is that of its file: `recorded-0.4.0-incubating`, `live-0.3.0-incubating-to-0.4.0-incubating`,
    `recorded-0.4.0-incubating-delta_by_kernel`, `check`.
    """

    name: str
    command: str
    """The command that made it, but for what changes no outcome."""
    lines: Lines


def read_runs(named: Sequence[str]) -> Iterator[FrozenRun]:
    """Raises UnreadableDocument for what is no audit.json, Problem for a run that was cut short."""
    for one in named:
        if one == CHECK:
            every = (lines_of(document, ()).lines for document in check_recorded())
            yield FrozenRun(CHECK, "python -m tools frozen write check", Lines.of(chain.from_iterable(every), {}))
            continue
        for path in _audits(Path(one)):
            document = Document.load(path)
            if not document.complete:
                raise Problem(f"{path} is of a run that was cut short: run it again.")
            lines = lines_of(document, register(REGISTER))
            yield FrozenRun(_name(document), _command(document), lines)


def _audits(path: Path) -> list[Path]:
    """The file, that of a run's folder, or those of a gate's folder."""
    if not path.is_dir():
        return [path]
    found = [*path.glob("audit.json"), *path.glob("latest/audit.json"), *path.glob("*/latest/audit.json")]
    if not found:
        raise Problem(f"{path} holds no audit.json: name that of a run, or the folder of a gate.")
    return sorted(found)


def _name(document: Document) -> str:
    since = document.run.upgrade_from
    way = f"{since}-to-{document.translation.release}" if since else document.translation.release
    targets = [] if document.run.targets == (ICEBERG.words,) else map(_target, document.run.targets)
    return "-".join([document.translation.mode, way, *targets])


def _target(words: str) -> str:
    """The writer's id; words in its place where the first syncs of an upgrade were another writer's."""
    ids = {one.words: id for id, one in WRITERS.items()}
    return ids.get(words, re.sub(r"\W+", "_", words).lower())


def _command(document: Document) -> str:
    words, kept = iter(shlex.split(document.run.command)), list[str]()
    for word in words:
        option = word.partition("=")[0]
        if option not in BESIDE_THE_POINT:
            kept.append(word)
        elif option == word:
            for _ in range(BESIDE_THE_POINT[option]):
                next(words, None)
    return shlex.join(kept)
