"""What a CI that runs the audit goes by."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from tests.kept import empty_cache
from tests.whole_runs.run import ROOT, Audit

DAFT = ("suites/selection", "-k", "daft and good_layout-xtable and rows")
REGISTER = "[XTF-001]" + (ROOT / "findings.toml").read_text(encoding="utf-8").split("\n[XTF-")[1].removeprefix("001]")
"""The entry XTF-001 alone."""
DEAD = "<url>http://127.0.0.1:9</url>"
"""A repository that refuses at once: nothing listens on the port."""


def test_a_run_whose_claims_hold_is_conformant(audit_alone: Audit) -> None:
    """Exit 0, and the last lines say so in words."""
    ran = audit_alone("-k", "bounds and good_layout")
    assert (ran.status, ran.document["verdict"]) == (0, "CONFORMANT"), ran.text


def test_a_known_finding_is_no_failure(audit: Audit) -> None:
    """A registered finding leaves the exit status 0, and is named with its entry."""
    ran = audit(*DAFT)
    assert (ran.status, ran.document["verdict"]) == (0, "KNOWN_DEFECTS"), ran.text
    assert "XTF-001" in ran.text


@pytest.mark.parametrize(("bar", "status"), [("UNREADABLE", 1), ("UNSOUND", 0)], ids=["as bad", "worse"])
def test_a_known_finding_fails_the_run_by_option(audit: Audit, bar: str, status: int) -> None:
    """Daft's refusal is UNREADABLE."""
    ran = audit(*DAFT, "--fail-on", bar)
    assert (ran.status, ran.document["verdict"]) == (status, "KNOWN_DEFECTS"), ran.text


def test_a_new_finding_fails_the_run(audit: Audit, tmp_path: Path) -> None:
    """Exit 1 for a finding that no entry describes."""
    empty = tmp_path / "findings.toml"
    empty.write_text("")
    ran = audit(*DAFT, f"--findings={empty}")
    assert (ran.status, ran.document["verdict"]) == (1, "FINDINGS"), ran.text
    assert "FINDING  UNREADABLE · new · good_layout-xtable · daft" in ran.text


def test_a_finding_of_another_kind_than_registered_is_new(audit: Audit, tmp_path: Path) -> None:
    """An entry covers the finding it describes and no other on the same test."""
    other = tmp_path / "findings.toml"
    other.write_text(REGISTER.replace("carries no parquet field IDs", "something else"))
    ran = audit(*DAFT, f"--findings={other}")
    assert (ran.status, set(ran.outcomes().values())) == (1, {"finding"}), ran.text


def test_a_registered_finding_that_is_gone_fails_the_run(audit: Audit, tmp_path: Path) -> None:
    """Exit 1, and the entry that has to go is named."""
    stale = tmp_path / "findings.toml"
    stale.write_text(REGISTER.replace("daft", "duckdb").replace(">=0.7,<0.8", ">=1"))
    ran = audit("suites/selection", "-k", "duckdb and plain_types-xtable and rows and strings", f"--findings={stale}")
    assert (ran.status, set(ran.outcomes().values())) == (1, {"gone"}), ran.text
    assert "XTF-001 is gone" in ran.text


def test_an_entry_outside_its_versions_is_not_in_force(audit: Audit, tmp_path: Path) -> None:
    """Outside its range an entry's claim must hold."""
    early = tmp_path / "findings.toml"
    early.write_text(REGISTER.replace(">=0.7,<0.8", "<0.7"))
    ran = audit(*DAFT, f"--findings={early}")
    assert set(ran.outcomes().values()) == {"finding"}, ran.text


def nowhere(folder: Path) -> dict[str, str]:
    """An environment in which nothing is installed, Maven neither, and nothing reached. A Maven that finds nothing says
    so after seconds: see `tests/lab/stack/test_mvn_and_pip.py`.
    """
    settings = folder / ".m2" / "settings.xml"
    settings.parent.mkdir()
    settings.write_text(f"<settings><mirrors><mirror><mirrorOf>*</mirrorOf>{DEAD}</mirror></mirrors></settings>")
    programs = [one for one in os.environ["PATH"].split(os.pathsep) if not (Path(one) / "mvn").exists()]
    return {
        **empty_cache(folder / "cache"),
        "MAVEN_REPO_LOCAL": str(folder),
        "HOME": str(folder),
        "PATH": os.pathsep.join(programs),
    }


def test_a_release_that_does_not_resolve_is_inconclusive(audit: Audit, tmp_path: Path) -> None:
    """Exit 6: what was selected could not run, and nothing stands in for it."""
    ran = audit(
        "suites/bounds",
        "-k",
        "good_layout-xtable and contain",
        "--xtable",
        "0.2.0",
        recorded=False,
        environment=nowhere(tmp_path),
    )
    assert (ran.status, ran.document["verdict"]) == (6, "INCONCLUSIVE"), ran.text


@pytest.mark.parametrize("option", ["--xtable", "--upgrade-from"])
def test_a_version_that_no_repository_has_is_one_sentence(audit: Audit, tmp_path: Path, option: str) -> None:
    """Exit 6 before anything is built."""
    jar = tmp_path / "some-bundled.jar"
    with zipfile.ZipFile(jar, "w") as content:
        content.writestr("org/apache/xtable/utilities/RunSync.class", b"")
    given = [option, "0.9.9", *([f"--xtable-jar={jar}"] if option == "--upgrade-from" else [])]
    ran = audit(
        "suites/bounds", "-k", "good_layout-xtable and contain", *given, recorded=False, environment=nowhere(tmp_path)
    )
    assert (ran.status, ran.document, "Traceback" in ran.text) == (6, {}, False), ran.text
    assert "ERROR: XTable 0.9.9 resolves neither from the local Maven repository nor online" in ran.text


def test_a_version_that_was_never_recorded_is_one_sentence(audit: Audit) -> None:
    """Exit 6 before anything is replayed."""
    ran = audit("suites/bounds", "-k", "good_layout-xtable and contain", "--xtable", "0.9.9")
    assert (ran.status, ran.document) == (6, {}), ran.text
    assert "ERROR: There is no recording of XTable 0.9.9; there is of: 0.4.0-incubating, 0.3.0" in ran.text


def test_nothing_is_replayed_for_another_zone_than_that_of_the_recordings(audit: Audit, tmp_path: Path) -> None:
    """Exit 6, where UTC is answered by the newest recording."""
    ran = audit(
        "suites/bounds",
        "-k",
        "good_layout-xtable and contain",
        "--zone=Asia/Kolkata",
        recorded=False,
        environment=nowhere(tmp_path),
    )
    assert (ran.status, ran.document) == (6, {}), ran.text
    assert "ERROR: --zone Asia/Kolkata: no release resolves here" in ran.text


def test_folders_of_parquet_files_are_replayed_too(audit: Audit, tmp_path: Path) -> None:
    options = ("suites/bounds", "--source-format=parquet", "-k", "parquet_plain")
    ran = audit(*options, recorded=False, environment=nowhere(tmp_path))
    assert (ran.status, ran.document["translation"]["mode"]) == (0, "recorded"), ran.text
    assert "no release resolves here" in ran.text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--xtable", "../0.9.9"], "'../0.9.9' is no version of XTable. Give one as Maven has it"),
        (["--readers", "duckbd"], "--readers: there is no reader 'duckbd'; known are pyiceberg, duckdb"),
        (["--scale", "0"], "--scale 0.0: give a number above 0"),
        (["--tlc=nowhere"], "--tlc nowhere is not a folder"),
        (["--tlc=tests"], "There are no .parquet files in tests: --tlc takes a folder of monthly TLC trip files"),
        (["--xtable-jar=no.jar"], "--xtable-jar: there is no file no.jar"),
        (["--recorded", "--hudi=live"], "--recorded runs nothing, and --hudi live runs Hudi: give one of them"),
        (["--recorded", "--sources=written"], "--recorded runs no Spark, and --sources written runs Spark: give one"),
        (["--fresh-jvm"], "--fresh-jvm runs a bundled jar as a shell does; give one with --xtable-jar=JAR"),
        (["--zone", "Asia/Calcuta"], "--zone 'Asia/Calcuta': there is no such time zone; did you mean Asia/Calcutta"),
        (["--recorded", "--zone=Asia/Kolkata"], "--zone Asia/Kolkata: recordings were made in UTC"),
        (["--xtable=recorded", "--zone=Asia/Kolkata"], "--zone Asia/Kolkata: recordings were made in UTC"),
        (["--xtable=0.3.0", "--delta-source-by=kernel"], "XTable 0.3.0-incubating does not read Delta by Delta Kernel"),
        (
            ["--xtable=0.3.0", "--source-format=parquet"],
            "--source-format parquet: XTable 0.3.0-incubating does not read folders of Parquet files; 0.4.0 is the",
        ),
        (
            ["--recorded", "--upgrade-from=0.4.0", "--source-format=parquet"],
            "--source-format parquet: no upgrade in place of their translation is recorded",
        ),
        (["--findings=no.toml"], "no.toml cannot be read"),
    ],
    ids=[
        "no version",
        "unknown reader",
        "no scale",
        "no folder",
        "no months",
        "no jar",
        "recorded and live",
        "recorded and written",
        "fresh jvm of no jar",
        "no zone",
        "recorded in a zone",
        "replayed in a zone",
        "no Kernel",
        "no folders in an older release",
        "no recorded upgrade of folders",
        "no register",
    ],
)
def test_bad_input_is_one_sentence(audit: Audit, arguments: list[str], sentence: str) -> None:
    """Exit 4 and a sentence that says what to do, never a stack trace."""
    ran = audit(*arguments, recorded=False)
    assert (ran.status, sentence in ran.text, "Traceback" in ran.text) == (4, True, False), ran.text


def test_a_typo_in_the_register_is_one_sentence(audit: Audit, tmp_path: Path) -> None:
    """An entry that names a table that is not there stops the run before the first test."""
    typo = tmp_path / "findings.toml"
    typo.write_text(REGISTER.replace('"good_layout-xtable"', '"good_layot-xtable"'))
    ran = audit(f"--findings={typo}")
    assert ran.status == 4, ran.text
    assert "XTF-001 names the subject 'good_layot-xtable'; did you mean 'good_layout-xtable'?" in ran.text


def test_a_selection_of_nothing_is_no_pass(audit: Audit) -> None:
    """pytest's own exit 5."""
    assert audit("-k", "no_such_layout").status == 5


def test_an_unreachable_store_is_inconclusive(audit: Audit) -> None:
    """An unreachable store is reported in a sentence; no claim passes."""
    credential = {"AWS_ACCESS_KEY_ID": "somebody", "AWS_SECRET_ACCESS_KEY": "secret"}
    ran = audit("suites/bounds", "-k", "contain and native", "--s3", "http://127.0.0.1:9", environment=credential)
    assert (ran.status, set(ran.outcomes().values())) == (6, {"inconclusive"}), ran.text


@pytest.mark.jvm
def test_a_sync_that_fails_is_a_finding(audit: Audit, tmp_path: Path) -> None:
    """XTable's failure is reported in its own words and blamed on it; the table's other claims follow it."""
    jar = tmp_path / "broken-bundled.jar"
    with zipfile.ZipFile(jar, "w") as content:
        content.writestr("org/apache/xtable/utilities/RunSync.class", b"no class at all")
    selected = "good_layout-xtable and can_be_read or good_layout-xtable and contain"
    ran = audit("-k", selected, f"--xtable-jar={jar}", "--readers=none")
    assert (ran.status, sorted(ran.outcomes().values())) == (1, ["finding", "finding"]), ran.text
    finding = next(claim["finding"] for claim in ran.document["claims"] if claim["finding"])
    assert (finding["blame"], "ClassFormatError" in finding["saw"]) == ("xtable", True), finding
