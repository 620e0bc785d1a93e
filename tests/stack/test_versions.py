from __future__ import annotations

from dataclasses import replace

import pytest

from lab.stack.versions import HudiRelease, hudi_releases, release, releases, stack_with_hudi
from xtable_audit.model.problem import Problem


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
