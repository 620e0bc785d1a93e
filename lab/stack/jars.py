"""The class paths of the suite: Spark's extra jars, and what an XTable release itself declares.

Maven 3.9 lists 318, 315 and 323 jars for XTable 0.4.0, 0.3.0 and 0.2.0, in 4 to 7 s each where all is on this machine.
Download on an empty one: 327 MB for XTable 0.4.0, 154 MB for Spark.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection
from functools import cache
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from lab.stack.classpath import ClassPaths, PomDependency, pom_of
from lab.stack.maven_program import get_pom
from lab.stack.maven_repositories import Progress, serves
from lab.stack.versions import Release, Stack, releases
from xtable_audit.model.problem import Problem

_ALL = ("*:*",)

# The AWS SDKs come as bundles of 281 MB (v1) and 500 MB (v2) of which S3A uses these modules.
_SDK_V1 = "com.amazonaws:aws-java-sdk"
_SDK_V1_MODULES = ("core", "s3", "sts", "dynamodb")
_SDK_V2 = "software.amazon.awssdk"
_SDK_V2_MODULES = ("s3", "s3-transfer-manager", "sts", "apache-client", "netty-nio-client")

# What xtable-core compiles against as `provided`. Versions come from its parent.
_PROVIDED = (
    "org.apache.hudi:hudi-common",
    "org.apache.hudi:hudi-java-client",
    "org.apache.iceberg:iceberg-core",
    "org.apache.iceberg:iceberg-api",
    "io.delta:delta-core_2.12",
    "org.apache.spark:spark-core_2.12",
    "org.apache.spark:spark-sql_2.12",
    "org.apache.hadoop:hadoop-common",
)
_OF_SOURCES = {"PAIMON": "org.apache.paimon:paimon-bundle"}
"""Source format -> what of the format XTable leaves to its users, as `provided`: 46 MB for Paimon."""


class Unresolvable(Problem):
    """A release that no repository has, or that is not recorded where only recordings count."""


def resolve_jars(
    coordinates: tuple[str, ...], progress: Progress | None = None, *, paths: ClassPaths | None = None
) -> tuple[Path, ...]:
    """The jars of `group:artifact:version` coordinates, with their dependencies."""
    wanted = [PomDependency.parse(coordinate) for coordinate in coordinates]
    return (paths or ClassPaths()).jars(pom_of(wanted), progress)


def resolve_spark_jars(
    stack: Stack, progress: Progress | None = None, *, paths: ClassPaths | None = None
) -> tuple[Path, ...]:
    """The jars that a stack adds to PySpark's own; what PySpark carries is left out, for Spark prefers its own anyway.

    Raises Problem if one is neither on this machine nor available online.
    """
    hadoop = f"org.apache.hadoop:hadoop-aws:{stack.hadoop}"
    wanted = [
        *(PomDependency.parse(jar, _ALL) for jar in stack.jars if jar != hadoop),
        PomDependency.parse(hadoop, (f"{_SDK_V1}-bundle",)),
        *(PomDependency.parse(f"{_SDK_V1}-{module}:${{aws-java-sdk.version}}") for module in _SDK_V1_MODULES),
    ]
    pom = pom_of(wanted, parent=f"org.apache.hadoop:hadoop-project:{stack.hadoop}")
    jars = (paths or ClassPaths()).jars(pom, progress)
    return tuple(jar for jar in jars if jar.parent.parent.name not in _pyspark_has())


def resolve_xtable_jars(
    release: Release,
    progress: Progress | None = None,
    *,
    paths: ClassPaths | None = None,
    sources: Collection[str] = (),
) -> tuple[Path, ...]:
    """XTable's class path as the release declares it, with the parts it leaves to its bundle.

    `sources` are the source formats that it reads besides those of every run: PAIMON or none. Raises Unresolvable if
    a jar is neither on this machine nor available online.
    """
    paths = paths or ClassPaths()
    wanted = [
        f"org.apache.xtable:xtable-core_2.12:{release.version}",
        *_PROVIDED,
        *release.provided,
        *release.undeclared,
        "org.apache.hadoop:hadoop-client:${hadoop.version}",
        "org.apache.hadoop:hadoop-aws:${hadoop.version}",
        *(f"{_SDK_V2}:{module}:{release.aws_sdk}" for module in _SDK_V2_MODULES),
        f"org.apache.httpcomponents:httpclient:{release.http_client}",
    ]
    without = (f"{_SDK_V2}:bundle", *release.without)
    dependencies = [PomDependency.parse(coordinate, without) for coordinate in wanted]
    dependencies += [PomDependency.parse(_OF_SOURCES[one], _ALL) for one in sources]
    core = paths.repositories.installed / _core(release, "jar")
    installed = core.stat().st_mtime_ns if core.is_file() else None
    if installed:  # what the user installs takes precedence over what was downloaded before
        for copy in (paths.repositories.cached / "org/apache/xtable").glob(f"*/{release.version}"):
            shutil.rmtree(copy)
    try:
        pom = pom_of(dependencies, parent=f"org.apache.xtable:xtable:{release.version}")
        return paths.jars(pom, progress, installed_at=installed)
    except Problem as problem:
        raise Unresolvable(
            f"XTable {release} cannot be put together: {problem} Or use a bundled jar of it: --xtable-jar=JAR, TO=JAR."
        ) from problem


def is_resolvable(release: Release, *, paths: ClassPaths | None = None) -> bool:
    """Whether the release's core is on this machine or in the remote repository; decided within seconds."""
    repositories = (paths or ClassPaths()).repositories
    if all(repositories.find(_core(release, suffix)) for suffix in ("pom", "jar")):
        return True
    return serves(repositories, _core(release, "pom"))


def check_resolvable(release: Release, *, paths: ClassPaths | None = None) -> None:
    """Raises Unresolvable for a release that Maven would not resolve; decided within seconds.

    Maven is asked only where the user's settings may name repositories that this suite does not read.
    """
    paths = paths or ClassPaths()
    if is_resolvable(release, paths=paths):
        return None
    sought = "from the local Maven repository nor online"
    if paths.repositories.settings.is_file():
        try:
            return get_pom(paths.repositories, paths.cache, f"org.apache.xtable:xtable-core_2.12:{release.version}")
        except Problem as problem:
            sought = f"{sought}, nor by Maven ({problem})"
    raise Unresolvable(
        f"XTable {release.version} resolves neither {sought}: correct the version (with its suffix, as in "
        f"{releases()[0].version}), install it into the local Maven repository, or use a bundled jar of it."
    )


def _core(release: Release, suffix: str) -> PurePosixPath:
    name = "xtable-core_2.12"
    return PurePosixPath(f"org/apache/xtable/{name}/{release.version}/{name}-{release.version}.{suffix}")


@cache
def _pyspark_has() -> frozenset[str]:
    """The artifact ids of PySpark's own jars; none if PySpark is not installed."""
    found = find_spec("pyspark")
    if found is None or found.origin is None:
        return frozenset()
    jars = (Path(found.origin).parent / "jars").glob("*.jar")
    return frozenset(re.sub(r"-\d[^/]*$", "", jar.stem) for jar in jars)
