"""Which XTable a class path is: by the classes of its own jars, whatever else differs from build to build."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from xtable.class_files import digest_of_classes

CLASSES = {"org/apache/xtable/A.class": b"\xca\xfe A", "org/apache/xtable/B.class": b"\xca\xfe B"}
MANIFEST = {"META-INF/MANIFEST.MF": b"Build-Jdk: 17", "META-INF/maven/pom.properties": b"#Tue Nov 24"}
Entries = Mapping[str, bytes]


def jar(folder: Path, name: str, entries: Entries, year: int = 2026) -> Path:
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / name, "w") as content:
        for entry, text in entries.items():
            content.writestr(zipfile.ZipInfo(entry, (year, 1, 1, 0, 0, 0)), text)
    return folder / name


def path(folder: Path, core: Entries, other: str = "iceberg-core-1.4.2.jar", year: int = 2026) -> list[Path]:
    """A class path of a core and another jar."""
    return [jar(folder, "xtable-core_2.12-0.4.0.jar", core, year), jar(folder, other, {"x.class": b"x"}, year)]


@pytest.fixture
def digest(tmp_path: Path) -> str:
    return digest_of_classes(path(tmp_path / "first", CLASSES | MANIFEST))


ALIKE: dict[str, Entries] = {
    "built again": CLASSES | {"META-INF/MANIFEST.MF": b"Build-Jdk: 11", "META-INF/maven/pom.properties": b"#Wed"},
    "without a manifest": CLASSES,
    "in another order": dict(reversed(CLASSES.items())),
}


@pytest.mark.parametrize("core", ALIKE.values(), ids=ALIKE)
def test_a_jar_of_the_same_classes_is_the_same(core: Entries, digest: str, tmp_path: Path) -> None:
    built = path(tmp_path / "second", core, year=2020)
    assert digest_of_classes(reversed(built)) == digest


OTHERS: dict[str, Entries] = {
    "a class changed": CLASSES | {"org/apache/xtable/B.class": b"\xca\xfe C"},
    "a class more": CLASSES | {"org/apache/xtable/C.class": b"\xca\xfe C"},
    "a class fewer": {"org/apache/xtable/A.class": b"\xca\xfe A"},
    "a class renamed": {"org/apache/xtable/A.class": b"\xca\xfe A", "org/apache/xtable/D.class": b"\xca\xfe B"},
}


@pytest.mark.parametrize("core", OTHERS.values(), ids=OTHERS)
def test_a_jar_of_other_classes_is_another(core: Entries, digest: str, tmp_path: Path) -> None:
    assert digest_of_classes(path(tmp_path / "second", core)) != digest


def test_another_version_of_a_library_is_another_class_path(digest: str, tmp_path: Path) -> None:
    assert digest_of_classes(path(tmp_path / "second", CLASSES, "iceberg-core-1.9.2.jar")) != digest


def test_a_second_jar_of_xtables_counts(digest: str, tmp_path: Path) -> None:
    api = jar(tmp_path / "second", "xtable-api-0.4.0.jar", {"org/apache/xtable/Api.class": b"\xca\xfe"})
    assert digest_of_classes([*path(tmp_path / "second", CLASSES), api]) != digest
