"""From Maven coordinates to the ordered jars of a class path: jgo resolves, this module fetches, checks and remembers.

Where jgo fails, the user's Maven is asked, if there is one.

The list is kept as JSON under a key of the request, with each jar's size and time. While these are unchanged, a warm
start reads one small file: no jgo, no network. Jars are not copied: those of the local Maven repository are used where
they lie, those downloaded go into the suite's own copy in the cache, because the local repository is the user's, may be
read-only in CI, and deleting the cache must undo everything that the suite ever downloaded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import TYPE_CHECKING

from lab.stack.cache import Cache, key_of, write_atomically
from lab.stack.maven import Progress, Repositories, check_jar, fetch, size_of
from lab.stack.mvn import class_path
from xtable_audit.model.problem import Problem

if TYPE_CHECKING:
    from lab.stack.poms import Poms

_AT_ONCE = 6  # concurrent downloads: Central limits the rate of one connection


@dataclass(frozen=True)
class PomDependency:
    """One dependency of a pom. Without a version the imported parent's holds. `without` are `group:artifact` globs."""

    group: str
    artifact: str
    version: str = ""
    without: tuple[str, ...] = ()

    @classmethod
    def parse(cls, coordinate: str, without: tuple[str, ...] = ()) -> PomDependency:
        group, artifact, version = coordinate.split(":")
        return cls(group, artifact, version, without)

    def xml(self) -> str:
        version = f"<version>{self.version}</version>" if self.version else ""
        excluded = "".join(
            f"<exclusion><groupId>{group}</groupId><artifactId>{artifact}</artifactId></exclusion>"
            for group, artifact in (name.split(":") for name in self.without)
        )
        return (
            f"<dependency><groupId>{self.group}</groupId><artifactId>{self.artifact}</artifactId>{version}"
            f"<scope>compile</scope><exclusions>{excluded}</exclusions></dependency>"
        )


def pom_of(wanted: Sequence[PomDependency], manager: str | None = None) -> str:
    """A pom of these dependencies, with the dependency management of `manager` (`group:artifact:version`) imported."""
    managed = ""
    if manager:
        group, artifact, version = manager.split(":")
        managed = (
            f"<dependencyManagement><dependencies><dependency><groupId>{group}</groupId>"
            f"<artifactId>{artifact}</artifactId><version>{version}</version><type>pom</type><scope>import</scope>"
            "</dependency></dependencies></dependencyManagement>"
        )
    return (
        "<project><modelVersion>4.0.0</modelVersion>"
        "<groupId>xtable.audit</groupId><artifactId>class-path</artifactId><version>1</version>"
        f"{managed}<dependencies>{''.join(one.xml() for one in wanted)}</dependencies></project>"
    )


class ClassPaths:
    """Resolves class paths once a machine. `cache` keeps downloads and lists."""

    def __init__(self, cache: Cache | None = None, repositories: Repositories | None = None) -> None:
        self.cache = cache or Cache()
        self.repositories = repositories or Repositories.of_this_machine(self.cache.root)

    def jars(
        self,
        inputs: dict[str, object],
        pom: Callable[[Poms], str],
        progress: Progress | None = None,
        keep: Callable[[PurePosixPath], bool] = lambda path: True,
    ) -> tuple[Path, ...]:
        """The jars of a pom, nearest to its root first. `inputs` has, in JSON values, what the list depends on.

        Raises Problem if neither jgo nor the user's Maven resolves it.
        """
        key = key_of(**inputs, installed=str(self.repositories.installed), rules=_rules())
        kept = self.cache.root / "classpath" / f"{key}.json"
        if jars := _remembered(kept):
            return jars
        with self.cache.lock("classpath", "download"):
            if jars := _remembered(kept):
                return jars
            found = self._resolved(pom, progress, keep)
            write_atomically(kept, json.dumps({"asked": inputs, "jars": [_stamp(jar) for jar in found]}).encode())
            return found

    def _resolved(
        self, pom: Callable[[Poms], str], progress: Progress | None, keep: Callable[[PurePosixPath], bool]
    ) -> tuple[Path, ...]:
        import requests  # imported late: a warm start needs neither the network nor jgo

        from lab.stack.poms import Poms

        with requests.Session() as session:
            poms = Poms(self.repositories, session, progress)
            text = pom(poms)
            try:
                jars = self._on_this_machine([path for path in poms.jars(text) if keep(path)], progress)
            except Problem as problem:
                jars = tuple(jar for jar in self._by_maven(text, problem) if keep(PurePosixPath(jar)))
        for jar in jars:
            check_jar(jar)
        return jars

    def _by_maven(self, pom: str, problem: Problem) -> tuple[Path, ...]:
        """Maven's answer to a pom with which jgo has a problem."""
        if not self.repositories.mvn:
            raise Problem(f"{problem} With Maven (mvn) installed, the suite asks it as well.") from problem
        try:
            return class_path(self.repositories, pom)
        except Problem as failure:
            raise Problem(f"{problem} Maven (mvn) cannot either: {failure}.") from failure

    def _on_this_machine(self, paths: Sequence[PurePosixPath], progress: Progress | None) -> tuple[Path, ...]:
        missing = [path for path in paths if self.repositories.find(path) is None]
        if missing:
            _download(self.repositories, missing, progress)
        return tuple(jar for path in paths if (jar := self.repositories.find(path)))


@cache
def _rules() -> str:
    """Changes with the code that chooses jars, so that a newer suite never uses an older one's list."""
    return key_of(sources=[source.read_text(encoding="utf-8") for source in sorted(Path(__file__).parent.glob("*.py"))])


def _download(repositories: Repositories, paths: Sequence[PurePosixPath], progress: Progress | None) -> None:
    import requests  # late, as in `jars`

    counting = Lock()
    done = 0

    def get(path: PurePosixPath) -> None:
        def count(received: int) -> None:
            nonlocal done
            with counting:
                done += received
                if progress:
                    progress(done, total, path.name)

        fetch(repositories, path, session, count)

    with requests.Session() as session, ThreadPoolExecutor(_AT_ONCE) as pool:
        # Asked of all before the first is downloaded, so that one that is missing fails within seconds.
        total = sum(pool.map(lambda path: size_of(session, f"{repositories.remote}/{path}"), paths))
        for _ in pool.map(get, paths):
            pass  # the first failure is raised here


def _stamp(jar: Path) -> tuple[str, int, int]:
    found = jar.stat()
    return str(jar), found.st_size, found.st_mtime_ns


def _remembered(kept: Path) -> tuple[Path, ...]:
    """The jars of an earlier resolution; none if any of them is gone or has changed."""
    if not kept.is_file():
        return ()
    stamps = [(str(path), int(size), int(time)) for path, size, time in json.loads(kept.read_bytes())["jars"]]
    jars = tuple(Path(path) for path, _, _ in stamps)
    same = all(jar.is_file() and _stamp(jar) == stamp for jar, stamp in zip(jars, stamps, strict=True))
    return jars if same else ()
