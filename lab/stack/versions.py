"""versions.toml as frozen objects: the stacks that write tables and the XTable releases that translate them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from xtable_audit import __version__
from xtable_audit.model.problem import Problem

SUITE_VERSION = __version__
"""The suite's own version, year and month of the release."""

VERSIONS_FILE = Path(__file__).with_name("versions.toml")
_VERSION = re.compile(r"[0-9A-Za-z][\w.+-]*", re.ASCII)
"""What Maven takes for a version, and no path or option."""


@dataclass(frozen=True)
class Stack:
    """What writes the tables: a Spark with its Hudi and Iceberg. `jars` are coordinates `group:artifact:version`."""

    name: str
    spark: str
    scala: str
    java: int
    hadoop: str
    hudi: str
    iceberg: str
    jars: tuple[str, ...]


@dataclass(frozen=True)
class HudiRelease:
    """A release of Hudi, and the table version that it writes by default."""

    version: str
    table_version: int

    def __str__(self) -> str:
        return self.version


@dataclass(frozen=True)
class Release:
    """A release of XTable.

    `undeclared` are coordinates it uses without declaring them in its pom, `aws_sdk` the version of its AWS SDK v2 and
    `http_client` that of this SDK's Apache HttpClient. `known` if it has a row in `versions.toml`.
    """

    version: str
    undeclared: tuple[str, ...]
    aws_sdk: str
    http_client: str = ""
    known: bool = True
    delta_kernel: bool = False
    """Whether it can write Delta by Delta Kernel, besides Delta Standalone."""
    parquet: bool = False
    """Whether it reads folders of Parquet files."""
    paimon: bool = False
    """Whether it reads Paimon tables."""
    provided: tuple[str, ...] = ()
    """What it leaves to its bundle, as `group:artifact`, beside what every release does."""
    without: tuple[str, ...] = ()
    """Jars of its class path, as `group:artifact`, that are left out: no repository has them, no sync needs them."""

    @property
    def without_in_words(self) -> str:
        """A sentence if jars are left out; else an empty string."""
        return (
            f"XTable {self} runs without {', '.join(self.without)}, by its row in versions.toml."
            if self.without
            else ""
        )

    @property
    def short(self) -> str:
        """The version without its suffix, e.g. `0.4.0`."""
        return self.version.split("-", 1)[0]

    @property
    def order(self) -> tuple[int, ...]:
        """Sorts releases from old to new."""
        return tuple(int(part) for part in self.short.split("."))

    def __str__(self) -> str:
        return self.version


@dataclass(frozen=True)
class Trino:
    """Trino as a process: Maven coordinates `group:artifact:version:extension`; and as a container: its image."""

    version: str
    java: int
    archives: tuple[str, ...]
    image: str


@dataclass(frozen=True)
class PostgresVersions:
    """PostgreSQL as a container: its image; and a wheel that carries its programs, in `folder` of what it installs."""

    image: str
    wheel: str
    folder: str


@dataclass(frozen=True)
class NessieVersions:
    """Nessie as a process: the path of its runnable jar in a Maven repository; and as a container: its image."""

    version: str
    java: int
    jar: str
    image: str


@dataclass(frozen=True)
class Firebolt:
    """Firebolt Core as a container."""

    image: str

    @property
    def version(self) -> str:
        return self.image.rpartition(":")[2]


@dataclass(frozen=True)
class MavenVersions:
    """Apache Maven, if the system has none that is new enough; and its plugin that lists class paths."""

    version: str
    dependency_plugin: str


@dataclass(frozen=True)
class Delta:
    """What the default stack adds to write Delta tables. `jars` are coordinates `group:artifact:version`."""

    jars: tuple[str, ...]


@dataclass(frozen=True)
class OtherTranslators:
    """What translates tables beside XTable, where the stack has no version of it."""

    iceberg: str
    delta_standalone: str
    paimon: str


@cache
def _document() -> dict[str, Any]:
    return tomllib.loads(VERSIONS_FILE.read_text(encoding="utf-8"))


def stack() -> Stack:
    """The stack that writes the tables."""
    row = _document()["stack"]
    return Stack(**(row | {"java": int(row["java"]), "jars": tuple(row["jars"])}))


def hudi_releases() -> tuple[HudiRelease, ...]:
    """Every Hudi release the suite writes tables with, newest first."""
    return tuple(HudiRelease(**row) for row in _document()["hudi"]["release"])


def hudi_release(version: str) -> HudiRelease:
    """The release of that version. Raises Problem, naming the known ones, for any other."""
    known = {one.version: one for one in hudi_releases()}
    if version not in known:
        raise Problem(f"Hudi release '{version}' is unknown. Known releases: {', '.join(known)}.")
    return known[version]


def stack_with_hudi(version: str) -> Stack:
    """The default stack with that release of Hudi and no other table format, beside Spark.

    Raises Problem, naming the known ones, for a release that is not in versions.toml.
    """
    row = replace(stack(), hudi=hudi_release(version).version)
    bundle = f"org.apache.hudi:hudi-spark{row.spark.rpartition('.')[0]}-bundle_{row.scala}:{version}"
    jars = (bundle, *(jar for jar in row.jars if ":hadoop-aws:" in jar))
    return replace(row, name=f"{row.name}-hudi{version}", jars=jars)


def releases() -> tuple[Release, ...]:
    """Every XTable release in `versions.toml`, newest first."""
    table = _document()["xtable"]
    lists = ("undeclared", "provided", "without")
    known = [
        Release(
            **row | {name: tuple(row.get(name, ())) for name in lists},
            aws_sdk=table["aws_sdk"],
            http_client=table["http_client"],
        )
        for row in table["release"]
    ]
    return tuple(sorted(known, key=lambda one: one.order, reverse=True))


def release(version: str) -> Release:
    """The release of that version; a known one with or without its suffix (`0.4.0` is `0.4.0-incubating`).

    Any other needs beside its pom what the newest known one needs; whether it exists, a repository decides. Raises
    Problem for what cannot be a version.
    """
    for known in releases():
        if version in (known.version, known.short):
            return known
    if not _VERSION.fullmatch(version):
        raise Problem(f"'{version}' is no version of XTable. Give one as Maven has it, such as {releases()[0]}.")
    return replace(releases()[0], version=version, known=False)


def maven() -> MavenVersions:
    """The Maven that is used if the system has none that is new enough."""
    return MavenVersions(**_document()["maven"])


def trino() -> Trino:
    """The Trino that is used if the user names none."""
    row = _document()["trino"]
    return Trino(**(row | {"java": int(row["java"]), "archives": tuple(row["archives"])}))


def postgres_versions() -> PostgresVersions:
    """The PostgreSQL that is used if the system has none."""
    return PostgresVersions(**_document()["postgres"])


def nessie_versions() -> NessieVersions:
    """The Nessie that is used if the user names none."""
    row = _document()["nessie"]
    return NessieVersions(**(row | {"java": int(row["java"])}))


def firebolt() -> Firebolt:
    """The Firebolt Core that is used if the user names none."""
    return Firebolt(**_document()["firebolt"])


def delta() -> Delta:
    """The Delta Lake that writes tables on the default stack."""
    return Delta(jars=tuple(_document()["delta"]["jars"]))


def paimon_packages() -> tuple[str, ...]:
    """What pip installs to write Paimon tables, beside the suite's own requirements."""
    return tuple(_document()["paimon"]["packages"])


def transform_packages() -> tuple[str, ...]:
    """What pip installs for PyIceberg to write Iceberg tables that are partitioned by more than values."""
    return tuple(_document()["iceberg"]["packages"])


def other_translators() -> OtherTranslators:
    """The versions of translators beside XTable."""
    return OtherTranslators(**_document()["translators"])
