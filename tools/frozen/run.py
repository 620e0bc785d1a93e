"""What is named on the command line: an audit.json, a gate's folder, or `check`; each a run with its lines."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from pyarrow import fs

from lab.provision.checked_register import REGISTER, register
from lab.stack.cache import Cache
from lab.store.address import BUCKET, TABLES, root_of
from tools.frozen.digests import Lines, lines_of
from xtable.replay import BATTERY_RECORDINGS, RECORDINGS, SOURCES, newest_recording, unpacked
from xtable.writer import ICEBERG, WRITERS
from xtable_audit.check.cost import ReadCost
from xtable_audit.check.options import Options
from xtable_audit.check.run import check
from xtable_audit.check.values import Progress
from xtable_audit.locate.locate import Located
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.report.document import Document

METADATA = "metadata"
HINT = "version-hint.text"


@dataclass(frozen=True)
class RecordedTable(Objects):
    """A recorded table at its address in the store: metadata by one release, data files as Spark wrote them."""

    filesystem: fs.FileSystem = field(default_factory=fs.LocalFileSystem)
    root: Path = Path()
    release: str = ""

    def path(self, uri: str) -> str:
        below = uri.partition(f"/{TABLES}/")[2]
        written = self.release if below.partition("/")[2].startswith(f"{METADATA}/") else SOURCES
        return str(self.root / written / below)


class Unwatched:
    """Goes on, and tells nobody."""

    def judged_metadata(self, document: Document) -> None:
        del document

    def go_on(self, cost: ReadCost) -> bool:
        return bool(cost.files)

    def progress(self, cost: ReadCost) -> Progress:
        del cost
        return lambda files, size: None


def check_recorded(names: Collection[str] = ()) -> Iterator[Document]:
    """What `xtable-audit check` says of each recorded table, or of `names` alone, as the newest release left it.

    The check knows no source and no history of a user's table, so of the same metadata it checks other claims than an
    audit, and reports other findings.
    """
    for root in (RECORDINGS, unpacked(BATTERY_RECORDINGS, Cache())):
        objects = RecordedTable(root=root, release=newest_recording())
        for hint in sorted((root / objects.release).glob(f"*/{METADATA}/{HINT}")):
            name = hint.parents[1].name
            if not names or name in names:
                yield _checked(name, hint.read_text(encoding="utf-8").strip(), objects)


def _checked(name: str, version: str, objects: RecordedTable) -> Document:
    location = f"{root_of(BUCKET)}/{name}/{METADATA}/v{version}.metadata.json"
    return check(Located(name, location, objects), Options(location), Unwatched())


CHECK = "check"
"""The word for `xtable-audit check` of all recorded tables, which runs here."""
BESIDE_THE_POINT = {"--out": 1, "-n": 1, "--maxprocesses": 1, "-p": 1, "-q": 0, "-v": 0}
"""Options that change no outcome, to how many words follow each."""


@dataclass(frozen=True)
class FrozenRun:
    """`name` is that of its file: `recorded-0.4.0-incubating`, `live-0.3.0-incubating-to-0.4.0-incubating`,
    `recorded-0.4.0-incubating-delta_by_kernel`, `recorded-0.4.0-incubating-from_parquet`, `check`.
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
    sources = [f"from_{of}" for of in re.findall(r"--source-format[= ](\w+)", document.run.command) if of != "auto"]
    return "-".join([document.translation.mode, way, *targets, *sources])


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
