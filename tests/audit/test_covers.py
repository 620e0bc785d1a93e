"""The releases that the register covers, and their days."""

from __future__ import annotations

import zipfile
from datetime import date
from pathlib import Path, PurePosixPath

import pytest

from lab.provision.register import REGISTER
from lab.stack.cache import cache_root
from lab.stack.maven import Repositories
from lab.stack.versions import hudi_releases, releases, stack
from lab.subjects.hudi_tables import BOTH_INDEXES
from xtable_audit.register.bad_register import BadRegister
from xtable_audit.register.covers import Covered, covers

HUDI = f"hudi-spark{stack().spark.rpartition('.')[0]}-bundle_{stack().scala}"
JUDGED = [one for one in hudi_releases() if one.table_version >= BOTH_INDEXES]


@pytest.mark.parametrize("version", [one.version for one in JUDGED])
def test_the_day_of_a_release_of_hudi_is_that_of_its_jars_manifest(version: str) -> None:
    jar = Repositories.of_this_machine(cache_root()).find(
        PurePosixPath(f"org/apache/hudi/{HUDI}/{version}/{HUDI}-{version}.jar")
    )
    if jar is None:
        pytest.skip(f"the jar of Hudi {version} is not on this machine")
    with zipfile.ZipFile(jar) as entries:
        year, month, day, *_ = entries.getinfo("META-INF/MANIFEST.MF").date_time
    [covered] = [one for one in covers(REGISTER)["hudi"] if one.version == version]
    assert covered.day == date(year, month, day)


def test_xtables_releases_are_those_that_are_known() -> None:
    assert [one.version for one in covers(REGISTER)["xtable"]] == [one.short for one in releases()][::-1]


def test_hudis_releases_are_those_whose_indexes_are_judged() -> None:
    assert [one.version for one in covers(REGISTER)["hudi"]] == [one.version for one in JUDGED][::-1]


def test_the_oldest_release_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "findings.toml"
    file.write_text('[covers]\nxtable = { "0.10.0" = "2026-01-02", "0.9.0" = "2025-01-02" }\n')
    assert covers(file)["xtable"] == (Covered("0.9.0", date(2025, 1, 2)), Covered("0.10.0", date(2026, 1, 2)))


def test_a_register_may_cover_no_release(tmp_path: Path) -> None:
    file = tmp_path / "findings.toml"
    file.write_text("")
    assert covers(file) == {}


@pytest.mark.parametrize(
    "of", ['["0.4.0"]', '"0.4.0"', '{ "0.4.0" = "May" }', '{ "0.4.0" = 2026 }', '{ "new" = "2026-01-02" }']
)
def test_what_names_no_releases_is_refused_in_one_sentence(tmp_path: Path, of: str) -> None:
    file = tmp_path / "findings.toml"
    file.write_text(f"[covers]\nxtable = {of}\n")
    with pytest.raises(BadRegister, match=r"findings\.toml: covers names each component with its releases"):
        covers(file)
