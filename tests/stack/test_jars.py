"""Resolution over tiny repositories; `paths()` is a fresh start, which remembers only what is on disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.stack.classpath import ClassPaths
from lab.stack.jars import (
    Unresolvable,
    check_resolvable,
    is_resolvable,
    resolve_jars,
    resolve_spark_jars,
    resolve_xtable_jars,
)
from lab.stack.maven import Repositories
from lab.stack.versions import Release, release, stack
from xtable_audit.model.problem import Problem

Paths = Callable[[], ClassPaths]
RELEASE = release("0.3.0")
UNKNOWN = release("0.9.0-SNAPSHOT")


def names(jars: tuple[Path, ...]) -> list[str]:
    return [jar.name for jar in jars]


def add_xtable(maven: Any, release: Release = RELEASE) -> None:
    """XTable as the suite sees it: a parent that manages versions, and a core that leaves much `provided`."""
    hadoop, sdk = "3.4.1", release.aws_sdk
    managed = {
        "org.apache.hudi:hudi-common": "0.14.0",
        "org.apache.hudi:hudi-java-client": "0.14.0",
        "org.apache.iceberg:iceberg-core": "1.4.2",
        "org.apache.iceberg:iceberg-api": "1.4.2",
        "io.delta:delta-core_2.12": "2.4.0",
        "org.apache.spark:spark-core_2.12": "3.4.2",
        "org.apache.spark:spark-sql_2.12": "3.4.2",
        "org.apache.hadoop:hadoop-common": hadoop,
    }
    for name, version in managed.items():
        maven.add(f"{name}:{version}")
    manages = " ".join(f"{name}:{version}:provided" for name, version in managed.items())
    maven.add(f"org.apache.xtable:xtable:{release.version}", manages=manages, packaging="pom")
    maven.add(f"org.apache.xtable:xtable-core_2.12:{release.version}", needs="org.apache.avro:avro:1.11.4")
    maven.add("org.apache.avro:avro:1.11.4")
    for coordinate in release.undeclared:
        maven.add(coordinate)
    maven.add(f"org.apache.hadoop:hadoop-client:{hadoop}")
    maven.add(f"org.apache.hadoop:hadoop-aws:{hadoop}", needs="software.amazon.awssdk:bundle:2.24.6")
    maven.add("org.apache.httpcomponents:httpclient:4.5.13")
    for module in ("s3", "s3-transfer-manager", "sts", "netty-nio-client"):
        maven.add(f"software.amazon.awssdk:{module}:{sdk}")
    maven.add(f"software.amazon.awssdk:apache-client:{sdk}", needs="org.apache.httpcomponents:httpclient:4.5.13")


def test_an_installed_release_resolves_without_any_network(installed: Any, server: Any, paths: Paths) -> None:
    add_xtable(installed)
    resolve_xtable_jars(RELEASE, paths=paths())
    assert server.requested == []


def test_the_core_comes_first_on_the_class_path(installed: Any, paths: Paths) -> None:
    add_xtable(installed)
    assert names(resolve_xtable_jars(RELEASE, paths=paths()))[0] == f"xtable-core_2.12-{RELEASE.version}.jar"


def test_what_the_release_leaves_provided_has_its_parents_versions(installed: Any, paths: Paths) -> None:
    add_xtable(installed)
    assert "iceberg-core-1.4.2.jar" in names(resolve_xtable_jars(RELEASE, paths=paths()))


def test_the_sdks_bundle_is_left_out(installed: Any, paths: Paths) -> None:
    add_xtable(installed)
    assert not [name for name in names(resolve_xtable_jars(RELEASE, paths=paths())) if name.startswith("bundle")]


def test_a_jar_that_the_releases_row_leaves_out_is_not_sought(installed: Any, paths: Paths) -> None:
    """However deep it is: here a dependency of the core's own."""
    add_xtable(installed)
    installed.add("org.apache.avro:avro:1.11.4", needs="a:nowhere:1")
    with pytest.raises(Unresolvable, match=r"nowhere"):
        resolve_xtable_jars(RELEASE, paths=paths())
    without = replace(RELEASE, without=("a:nowhere",))
    assert "avro-1.11.4.jar" in names(resolve_xtable_jars(without, paths=paths()))
    assert without.without_in_words == "XTable 0.3.0-incubating runs without a:nowhere, by its row in versions.toml."


def test_a_release_that_is_nowhere_is_not_resolvable(paths: Paths) -> None:
    assert not is_resolvable(RELEASE, paths=paths())


def test_an_installed_release_is_resolvable(installed: Any, paths: Paths) -> None:
    add_xtable(installed)
    assert is_resolvable(RELEASE, paths=paths())


def test_a_served_release_is_resolvable(remote: Any, paths: Paths) -> None:
    add_xtable(remote)
    assert is_resolvable(RELEASE, paths=paths())


def test_without_a_network_a_release_is_not_resolvable(tmp_path: Path, server: Any, paths: Paths) -> None:
    server.stop()
    assert not is_resolvable(RELEASE, paths=paths())


def test_a_release_that_does_not_resolve_is_named(paths: Paths) -> None:
    with pytest.raises(Unresolvable, match=r"XTable 0\.3\.0-incubating cannot be put together: .* is not there"):
        resolve_xtable_jars(RELEASE, paths=paths())


def test_a_version_without_a_row_resolves_where_it_is_installed(installed: Any, server: Any, paths: Paths) -> None:
    add_xtable(installed, UNKNOWN)
    check_resolvable(UNKNOWN, paths=paths())
    assert names(resolve_xtable_jars(UNKNOWN, paths=paths()))[0] == "xtable-core_2.12-0.9.0-SNAPSHOT.jar"
    assert server.requested == []


def test_a_version_without_a_row_resolves_where_it_is_served(remote: Any, paths: Paths) -> None:
    add_xtable(remote, UNKNOWN)
    check_resolvable(UNKNOWN, paths=paths())
    assert "jol-core-0.16.jar" in names(resolve_xtable_jars(UNKNOWN, paths=paths()))


def test_a_version_that_is_nowhere_is_one_sentence_that_says_what_to_do(paths: Paths) -> None:
    with pytest.raises(Unresolvable, match=r"^XTable 0\.9\.0-SNAPSHOT resolves neither .*: correct the version .*$"):
        check_resolvable(UNKNOWN, paths=paths())


def test_a_jar_that_is_missing_is_known_before_any_is_downloaded(remote: Any, server: Any, paths: Paths) -> None:
    remote.add("a:a:1", needs="b:b:2")
    remote.add("b:b:2").unlink()
    with pytest.raises(Problem, match=r"b-2\.jar is not there"):
        resolve_jars(("a:a:1",), paths=paths())
    assert not [path for path in server.requested if path.endswith(".jar")]


def test_a_release_installed_after_it_was_downloaded_is_preferred(installed: Any, remote: Any, paths: Paths) -> None:
    add_xtable(remote)
    resolve_xtable_jars(RELEASE, paths=paths())
    add_xtable(installed)
    assert resolve_xtable_jars(RELEASE, paths=paths())[0].is_relative_to(installed.root)


def test_sparks_bundles_come_without_what_their_poms_name(installed: Any, paths: Paths) -> None:
    for coordinate in stack().jars:
        needs = "com.amazonaws:aws-java-sdk-bundle:1.12.262" if ":hadoop-aws:" in coordinate else "some:thing:1"
        installed.add(coordinate, needs=needs)
    for module in ("core", "s3", "sts", "dynamodb"):
        installed.add(f"com.amazonaws:aws-java-sdk-{module}:1.12.262")
    jars = resolve_spark_jars(stack(), paths=paths())
    assert len(jars) == len(stack().jars) + 4


def test_what_is_missing_is_downloaded(remote: Any, paths: Paths) -> None:
    remote.add("a:a:1", needs="b:b:2")
    remote.add("b:b:2")
    assert names(resolve_jars(("a:a:1",), paths=paths())) == ["a-1.jar", "b-2.jar"]


def test_a_warm_start_needs_no_network(remote: Any, server: Any, paths: Paths) -> None:
    remote.add("a:a:1")
    first = resolve_jars(("a:a:1",), paths=paths())
    server.stop()
    assert resolve_jars(("a:a:1",), paths=paths()) == first


def test_the_installed_jar_is_used_in_place(installed: Any, remote: Any, paths: Paths) -> None:
    here = installed.add("a:a:1")
    remote.add("a:a:1")
    assert resolve_jars(("a:a:1",), paths=paths()) == (here,)


def test_a_jar_that_is_gone_is_fetched_again(remote: Any, paths: Paths) -> None:
    remote.add("a:a:1")
    jar = resolve_jars(("a:a:1",), paths=paths())[0]
    jar.unlink()
    assert resolve_jars(("a:a:1",), paths=paths())[0].is_file()


def test_progress_ends_at_the_total(remote: Any, paths: Paths) -> None:
    size = remote.add("a:a:1").stat().st_size
    reported: list[tuple[int, int, str]] = []
    resolve_jars(("a:a:1",), lambda done, total, name: reported.append((done, total, name)), paths=paths())
    assert reported[-1] == (size, size, "a-1.jar")


def test_a_truncated_download_is_refused(remote: Any, server: Any, paths: Paths) -> None:
    remote.add("a:a:1")
    server.cut_off.add("a-1.jar")
    with pytest.raises(Problem, match=r"a-1\.jar could not be downloaded"):
        resolve_jars(("a:a:1",), paths=paths())


def test_a_truncated_download_leaves_nothing_behind(remote: Any, server: Any, paths: Paths) -> None:
    remote.add("a:a:1")
    server.cut_off.add("a-1.jar")
    fresh = paths()
    with pytest.raises(Problem):
        resolve_jars(("a:a:1",), paths=fresh)
    assert [path.name for path in (fresh.repositories.cached / "a/a/1").iterdir()] == ["a-1.pom"]


def test_a_download_with_another_checksum_is_refused(remote: Any, paths: Paths) -> None:
    jar = remote.add("a:a:1")
    jar.with_name("a-1.jar.sha1").write_text("0" * 40)
    with pytest.raises(Problem, match="arrived damaged"):
        resolve_jars(("a:a:1",), paths=paths())


def test_a_jar_cut_off_in_the_local_repository_is_refused(installed: Any, paths: Paths) -> None:
    jar = installed.add("a:a:1")
    jar.write_bytes(jar.read_bytes()[:100])
    with pytest.raises(Problem, match=r"a-1\.jar is damaged or cut off\. Delete it"):
        resolve_jars(("a:a:1",), paths=paths())


def test_a_pom_that_is_not_served_is_an_error_and_not_a_shorter_class_path(remote: Any, paths: Paths) -> None:
    remote.add("a:a:1", needs="gone:gone:1")
    with pytest.raises(Problem, match=r"gone-1\.pom is not there"):
        resolve_jars(("a:a:1",), paths=paths())


def test_the_users_maven_settings_name_repository_and_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".m2").mkdir()
    (tmp_path / ".m2" / "settings.xml").write_text(
        '<settings xmlns="urn:maven:settings"><localRepository>/elsewhere</localRepository>'
        "<mirrors><mirror><mirrorOf>*</mirrorOf><url>http://127.0.0.1:1/mirror/</url></mirror></mirrors></settings>"
    )
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    found = Repositories.of_this_machine(tmp_path, environ={})
    assert (found.installed, found.remote) == (Path("/elsewhere"), "http://127.0.0.1:1/mirror")
