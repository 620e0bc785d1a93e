"""Resolves a pom's dependencies with jgo, to the versions that Maven resolves.

jgo 3.2 differs from Maven in places that matter here: an interpolation and a kind of profile that it does not support,
poms that it skips silently, and two rules for the model of a pom. jgo makes the models of parents, imports and
dependencies itself, all of one class, so that class is changed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element

import requests
from jgo.maven import (
    POM,
    Artifact,
    Component,
    Dependency,
    MavenContext,
    Model,
    ProfileConstraints,
    Project,
    PythonResolver,
)

from lab.stack.maven import Progress, Repositories, fetch
from lab.stack.versions import stack
from xtable_audit.model.problem import Problem

_value_of = Model._propvalue
_inject_profiles = Model._inject_profiles


def as_maven_builds_it() -> None:
    """Changes jgo's class, for this process. May be called again."""
    Model._propvalue = staticmethod(_used_twice)  # type: ignore[method-assign,assignment]
    Model._inject_profiles = _default_profiles_yield  # type: ignore[method-assign,assignment]


def _used_twice(name: str, properties: dict[str, str], path: set[str] | None = None) -> str | None:
    """The value of a property. It is a loop if it leads back to itself, and none if two others use it."""
    value: str | None = _value_of(name, properties, set(path or ()))
    return value


def _default_profiles_yield(model: Model, pom: POM) -> None:
    """Profiles that are active by default are not if another profile of their pom is (Maven, "Build Profiles").

    Hudi's poms have the versions for Spark in the one kind and a profile for Java 17 in the other.
    """
    activations = pom.elements("profiles/profile/activation")
    defaults = [(one, default) for one in activations for default in one.findall("activeByDefault")]
    for activation, default in defaults:
        activation.remove(default)
    is_active: Callable[[Element], bool] = model._is_active_profile
    if not any(is_active(profile) for profile in pom.elements("profiles/profile")):
        for activation, default in defaults:
            activation.append(default)
    _inject_profiles(model, pom)


class Poms:
    """The poms of the repositories."""

    def __init__(self, repositories: Repositories, session: requests.Session, progress: Progress | None = None) -> None:
        as_maven_builds_it()
        self._context = _Context(
            resolver=_Poms(repositories, session, progress),
            repo_cache=repositories.installed,
            local_repos=[repositories.cached],
            remote_repos={"central": repositories.remote},
        )

    def version(self, of: str, group: str, artifact: str) -> str:
        """The version that a published pom (`group:artifact:version`) manages or declares of an artefact, or ""."""
        key = (group, artifact, "", "jar")
        owner, name, version = of.split(":")
        model = Model(self._context.project(owner, name).at_version(version).pom(), self._context)
        found = model.dep_mgmt.get(key) or model.deps.get(key)
        return str(found.version) if found else ""

    def jars(self, pom: str) -> list[PurePosixPath]:
        """Where the jars that a pom needs lie in any Maven repository, those nearest to its root first.

        Raises Problem for a jar that is not available.
        """
        try:
            with _whole():
                found, _ = Model(POM(pom), self._context).dependencies()
        except Problem:
            raise
        except Exception as error:  # jgo has no exception of its own: whatever it trips over, it has no answer
            raise Problem(f"jgo cannot resolve the class path ({type(error).__name__}: {error}).") from error
        wanted = (dependency for dependency in found if dependency.scope in ("compile", "runtime"))
        return list(dict.fromkeys(_place(dependency) for dependency in wanted if dependency.type != "pom"))


def _place(dependency: Dependency) -> PurePosixPath:
    folder = PurePosixPath(dependency.artifact.component.path_prefix.as_posix())
    classifier = dependency.classifier or ("tests" if dependency.type == "test-jar" else "")
    return folder / f"{dependency.artifactId}-{dependency.version}{'-' * bool(classifier)}{classifier}.jar"


class _Context(MavenContext):
    """jgo's context, with the `${project.parent.version}` that the AWS SDK's poms use and jgo 3.2 does not support."""

    def project(self, groupId: str, artifactId: str) -> Project:
        return _Project(self, groupId, artifactId)

    def pom_parent(self, pom: POM) -> POM | None:
        group, artifact, version = (pom.value(f"parent/{part}") for part in ("groupId", "artifactId", "version"))
        return self.project(group, artifact).at_version(version).pom() if group and artifact and version else None


class _Project(Project):
    def at_version(self, version: str) -> Component:
        return _Component(self, version)


class _Component(Component):
    def pom(self) -> POM:
        pom = POM(self.artifact(packaging="pom").resolve())
        parent = pom.value("parent/version")
        for element in pom.tree.iter():
            if parent and element.text and "${project.parent.version}" in element.text:
                element.text = element.text.replace("${project.parent.version}", parent)
        return pom


class _Unset(dict[str, str]):
    """The properties of a build that sets none, so that a profile that requires `!name` holds, as in Maven.

    jgo 3.2 looks the name up with the `!`. HBase's poms have their Hadoop's versions in such a profile; without it jgo
    skips them silently, and HBase's dependencies are missing when XTable reads Hudi's metadata table.
    """

    def __contains__(self, name: object) -> bool:
        return str(name).startswith("!")

    def __missing__(self, name: str) -> str:
        return ""


class _Silence(logging.Handler):
    """Notices the poms that jgo skips: it reports them in its debug log only, and omits their dependencies."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if (message := record.getMessage()).startswith("Could not build model"):
            self.errors.append(message)


@contextmanager
def _whole() -> Iterator[None]:
    """Raises Problem if jgo would silently omit something from a class path."""
    log, silence = logging.getLogger("jgo.maven._model"), _Silence()
    level = log.level
    log.addHandler(silence)
    log.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        log.setLevel(level)
        log.removeHandler(silence)
    if silence.errors:
        raise Problem(f"The class path would lack jars by jgo ({silence.errors[0]}).")


class _Poms(PythonResolver):
    """jgo's resolver with a download that is checked and atomic (its own warns of a wrong checksum and goes on).

    It raises a Problem on purpose: jgo swallows RuntimeError and OSError here, and would continue with a class path
    that lacks that pom's dependencies.
    """

    def __init__(self, repositories: Repositories, session: requests.Session, progress: Progress | None) -> None:
        super().__init__(ProfileConstraints(jdk=str(stack().java), properties=_Unset()))
        self.repositories = repositories
        self.session = session
        self.progress = progress

    def download(self, artifact: Artifact) -> Path:
        path = PurePosixPath(artifact.component.path_prefix.as_posix()) / artifact.filename
        if self.progress:
            self.progress(0, 0, path.name)
        return fetch(self.repositories, path, self.session)
