"""From Maven coordinates to the ordered jars of a class path: Maven resolves, this module checks and remembers.

The list is kept as JSON under a key of the request, with each jar's size and time. While these are unchanged, a warm
start reads one small file: no Maven, no network. Jars are not copied: those of the local Maven repository are used
where they lie, those downloaded go into the suite's own copy in the cache, because the local repository is the user's,
may be read-only in CI, and deleting the cache must undo everything that the suite ever downloaded.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.stack.cache import Cache, key_of, write_atomically
from lab.stack.maven_program import class_path
from lab.stack.maven_repositories import Progress, Repositories, check_jar
from lab.stack.versions import maven


@dataclass(frozen=True)
class PomDependency:
    """One dependency of a pom. Without a version the parent's holds. `without` are `group:artifact` globs."""

    group: str
    artifact: str
    version: str = ""
    without: tuple[str, ...] = ()

    @classmethod
    def parse(cls, coordinate: str, without: tuple[str, ...] = ()) -> PomDependency:
        """Of `group:artifact:version`, or of `group:artifact`."""
        group, artifact, *version = coordinate.split(":")
        return cls(group, artifact, "".join(version), without)

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


def pom_of(wanted: Sequence[PomDependency], parent: str = "") -> str:
    """A pom of these dependencies. Of a parent (`group:artifact:version`) it has the versions and properties.

    Its own version is its parent's too, for XTable's parent gives XTable's artefacts that of the project.
    """
    own = "<groupId>xtable.audit</groupId><artifactId>class-path</artifactId>"
    if parent:
        names = zip(("groupId", "artifactId", "version"), parent.split(":"), strict=True)
        inherited = "".join(f"<{name}>{value}</{name}>" for name, value in names)
        own = f"<parent>{inherited}<relativePath/></parent>{own}"
    else:
        own += "<version>1</version>"
    dependencies = "".join(one.xml() for one in wanted)
    return f"<project><modelVersion>4.0.0</modelVersion>{own}<dependencies>{dependencies}</dependencies></project>"


class ClassPaths:
    """Resolves class paths once a machine. `cache` keeps downloads and lists."""

    def __init__(self, cache: Cache | None = None, repositories: Repositories | None = None) -> None:
        self.cache = cache or Cache()
        self.repositories = repositories or Repositories.of_this_machine(self.cache.root)

    def jars(self, pom: str, progress: Progress | None = None, **inputs: object) -> tuple[Path, ...]:
        """The jars of a pom. `inputs` has, in JSON values, what the list depends on beside it.

        Raises Problem if Maven does not resolve it, or if a jar is damaged.
        """
        key = key_of(pom=pom, installed=str(self.repositories.installed), maven=asdict(maven()), **inputs)
        kept = self.cache.root / "classpath" / f"{key}.json"
        if jars := _remembered(kept):
            return jars
        with self.cache.lock("classpath", "download"):
            if jars := _remembered(kept):
                return jars
            found = class_path(self.repositories, self.cache, pom, progress)
            for jar in found:
                check_jar(jar)
            write_atomically(kept, json.dumps({"pom": pom, **inputs, "jars": [_stamp(jar) for jar in found]}).encode())
            return tuple(found)


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
