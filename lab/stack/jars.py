"""The class paths of the suite: Spark's extra jars, and what an XTable release itself declares.

Resolvers were measured on the poms below, November 2026. Maven 3.8.7 on Java 17 gives 305, 318, 315 and 323 jars for
XTable's main, 0.4.0, 0.3.0 and 0.2.0, jgo 3.2 with what poms.py mends the same in 6 s each.
Plain jgo leaves out HBase's, without which XTable cannot read a Hudi metadata table, and gives no answer for main.
PySpark's Ivy, tried on 0.4.0, fails: it takes a property of XTable's parent pom for the release's version and looks for
xtable-api 0.2.0-SNAPSHOT. Download on an empty machine: 327 MB for XTable 0.4.0, 154 MB for Spark.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from lab.stack.classpath import ClassPaths, PomDependency, pom_of
from lab.stack.maven import Progress, serves
from lab.stack.mvn import get_pom
from lab.stack.versions import Release, Stack, releases
from xtable_audit.model.problem import Problem

if TYPE_CHECKING:
    from lab.stack.poms import Poms

_ALL = ("*:*",)

# The AWS SDKs come as bundles of 281 MB (v1) and 500 MB (v2) of which S3A uses these modules.
_SDK_V1_BUNDLE = ("com.amazonaws", "aws-java-sdk-bundle")
_SDK_V1 = ("aws-java-sdk-core", "aws-java-sdk-s3", "aws-java-sdk-sts", "aws-java-sdk-dynamodb")
_SDK_V2_BUNDLE = ("software.amazon.awssdk", "bundle")
_HTTP_CLIENT = ("org.apache.httpcomponents", "httpclient")
_SDK_V2 = ("s3", "s3-transfer-manager", "sts", "apache-client", "netty-nio-client")

# What xtable-core compiles against as `provided`. Versions come from its parent.
_PROVIDED = (
    ("org.apache.hudi", "hudi-common"),
    ("org.apache.hudi", "hudi-java-client"),
    ("org.apache.iceberg", "iceberg-core"),
    ("org.apache.iceberg", "iceberg-api"),
    ("io.delta", "delta-core_2.12"),
    ("org.apache.spark", "spark-core_2.12"),
    ("org.apache.spark", "spark-sql_2.12"),
    ("org.apache.hadoop", "hadoop-common"),
)
# Added if the parent manages them: newer cores load every target, Delta's too, through service files.
_IF_MANAGED = (("io.delta", "delta-kernel-api"), ("io.delta", "delta-kernel-defaults"))
_OF_SOURCES = {"PAIMON": ("org.apache.paimon", "paimon-bundle")}
"""Source format -> what of the format XTable leaves to its users, as `provided`: 46 MB for Paimon."""


class Unresolvable(Problem):
    """A release that no repository has, or that is not recorded where only recordings count."""


def resolve_jars(
    coordinates: tuple[str, ...], progress: Progress | None = None, *, paths: ClassPaths | None = None
) -> tuple[Path, ...]:
    """The jars of `group:artifact:version` coordinates, with their dependencies."""
    wanted = [PomDependency.parse(coordinate) for coordinate in coordinates]
    return (paths or ClassPaths()).jars({"coordinates": list(coordinates)}, lambda poms: pom_of(wanted), progress)


def resolve_spark_jars(
    stack: Stack, progress: Progress | None = None, *, paths: ClassPaths | None = None
) -> tuple[Path, ...]:
    """The jars that a stack adds to PySpark's own; what PySpark carries is left out, for Spark prefers its own anyway.

    Raises Problem if one is neither on this machine nor available online.
    """
    bundles = [PomDependency.parse(jar, _ALL) for jar in stack.jars if ":hadoop-aws:" not in jar]
    hadoop_aws = f"org.apache.hadoop:hadoop-aws:{stack.hadoop}"

    def pom(poms: Poms) -> str:
        sdk = poms.version(hadoop_aws, *_SDK_V1_BUNDLE)
        modules = [PomDependency(_SDK_V1_BUNDLE[0], module, sdk) for module in _SDK_V1]
        return pom_of([*bundles, PomDependency.parse(hadoop_aws, (":".join(_SDK_V1_BUNDLE),)), *modules])

    inputs: dict[str, object] = {"stack": list(stack.jars), "hadoop": stack.hadoop, "beside": sorted(_pyspark_has())}
    return (paths or ClassPaths()).jars(inputs, pom, progress, keep=lambda path: _artifact(path) not in _pyspark_has())


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
    parent = f"org.apache.xtable:xtable:{release.version}"

    def pom(poms: Poms) -> str:
        hadoop = poms.version(parent, "org.apache.hadoop", "hadoop-common")
        hadoop_aws = f"org.apache.hadoop:hadoop-aws:{hadoop}"
        http_client = poms.version(f"{_SDK_V2_BUNDLE[0]}:apache-client:{release.aws_sdk}", *_HTTP_CLIENT)
        wanted = [
            PomDependency("org.apache.xtable", "xtable-core_2.12", release.version),
            *(PomDependency(*name) for name in _PROVIDED),
            *(PomDependency(*name) for name in _IF_MANAGED if poms.version(parent, *name)),
            *(PomDependency.parse(coordinate) for coordinate in release.undeclared),
            PomDependency("org.apache.hadoop", "hadoop-client", hadoop),
            PomDependency.parse(hadoop_aws, (":".join(_SDK_V2_BUNDLE),)),
            *(PomDependency(_SDK_V2_BUNDLE[0], module, release.aws_sdk) for module in _SDK_V2),
            # The bundle carries a copy of its own; without it Hudi's 4.4.1 would win, which the SDK cannot use.
            PomDependency(*_HTTP_CLIENT, http_client),
            *(PomDependency(*_OF_SOURCES[one], without=_ALL) for one in sources),
        ]
        return pom_of([replace(one, without=one.without + release.without) for one in wanted], manager=parent)

    core = paths.repositories.installed / _core(release, "jar")
    installed = core.stat().st_mtime_ns if core.is_file() else None  # a local install since then takes precedence
    inputs: dict[str, object] = {
        "xtable": release.version,
        "undeclared": list(release.undeclared),
        "aws_sdk": release.aws_sdk,
        "installed_at": installed,
        **({"sources": sorted(sources)} if sources else {}),
        **({"without": list(release.without)} if release.without else {}),
    }
    try:
        return paths.jars(inputs, pom, progress)
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

    The user's Maven is asked only where their settings may name repositories that this suite does not read.
    """
    paths = paths or ClassPaths()
    if is_resolvable(release, paths=paths):
        return
    sought = "from the local Maven repository nor online"
    if paths.repositories.mvn and paths.repositories.configured:
        try:
            for artifact in ("xtable-core_2.12", "xtable"):
                get_pom(paths.repositories, f"org.apache.xtable:{artifact}:{release.version}")
        except Problem as problem:
            sought = f"{sought}, nor by Maven ({problem})"
        else:
            return
    raise Unresolvable(
        f"XTable {release.version} resolves neither {sought}: correct the version (with its suffix, as in "
        f"{releases()[0].version}), install it into the local Maven repository, or use a bundled jar of it."
    )


def _core(release: Release, suffix: str) -> PurePosixPath:
    name = "xtable-core_2.12"
    return PurePosixPath(f"org/apache/xtable/{name}/{release.version}/{name}-{release.version}.{suffix}")


def _artifact(path: PurePosixPath) -> str:
    """`httpclient` of `…/httpclient/4.5.13/httpclient-4.5.13.jar`."""
    return path.parent.parent.name


@cache
def _pyspark_has() -> frozenset[str]:
    """The artifact ids of PySpark's own jars; none if PySpark is not installed."""
    found = find_spec("pyspark")
    if found is None or found.origin is None:
        return frozenset()
    jars = (Path(found.origin).parent / "jars").glob("*.jar")
    return frozenset(re.sub(r"-\d[^/]*$", "", jar.stem) for jar in jars)
