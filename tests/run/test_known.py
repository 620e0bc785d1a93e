"""The register in force: entries in blocks, overlapping entries, releases without entries, upgrades in place."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fixtures.known import put_in_force
from lab.provision.catalogue import Catalogue
from lab.provision.plan import Plan
from lab.provision.register import unknown_release
from tests.run.conftest import Audit, Ran
from xtable_audit.claims.bounds import bounds_contain_values as CLAIM
from xtable_audit.claims.deviation import TableClaim
from xtable_audit.claims.translation.history import rows_are_as_many_after_a_sync as OF_EARLIER

HEAD = """
[[finding]]
id = "XTF-001"
title = "Daft refuses tables without field ids"
component = "{component}"
cause = "no name mapping"
condition = "files without field ids"
common = "everyday"
threads = []
searched = "2026-11-22"
remedy = "none known"
releases = "{releases}"
verdict = "UNREADABLE"
kind = "violation"
blame = "reader daft"
readers = ["daft"]
"""
BLOCKS = """
[[finding.where]]
claims = ["rows_are_those_of_the_files"]
subjects = ["good_*-xtable"]
saw = "{saw}"

[[finding.where]]
claims = ["every_matching_file_is_read"]
subjects = ["*"]
except = ["bad_layout-*"]
questions = ["month"]
"""
READ = "carries no parquet field IDs"
DAFT = ("suites/selection", "-k", "daft and good_layout-xtable and month and (rows_are or every_matching)")
TEST = "suites/bounds/test_bounds.py::test_bounds_contain_values"
TABLE = "types_nan_plain-xtable"
PLAIN = f"""
[[finding]]
id = "XTF-001"
title = "bounds are false"
component = "xtable"
cause = "it is not known"
condition = "any"
common = "rare"
threads = []
searched = "2026-11-22"
remedy = "none known"
releases = ">=0.4,<0.5"
verdict = "UNSOUND"
kind = "violation"
blame = "xtable"
claims = ["{CLAIM.id}"]
subjects = ["{TABLE}"]
"""
STALE = PLAIN.replace("XTF-001", "XTF-002") + 'upgrade_from = ">=0.2,<0.3"\n'
FROM = "0.2.0-incubating"


def register(path: Path, *, component: str = "daft", releases: str = ">=0.7,<0.8", saw: str = READ) -> str:
    text = HEAD.format(component=component, releases=releases) + BLOCKS.format(saw=saw)
    path.write_text(text)
    return text


def marks(
    folder: Path, text: str, since: str | None, claim: TableClaim = CLAIM, *, incremental_only: bool = False
) -> list[tuple[str, bool]]:
    """Which entry is in force for the test, and whether it must fail."""
    (folder / "findings.toml").write_text(text)
    held: list[pytest.MarkDecorator] = []
    item: Any = SimpleNamespace(
        nodeid=f"{TEST}[{TABLE}]",
        function=SimpleNamespace(claim=claim),
        callspec=SimpleNamespace(params={"table": TABLE}),
        stash={},
        add_marker=held.append,
    )
    plan = Plan(upgrade_from=since, findings=folder / "findings.toml", incremental_only=incremental_only)
    run: Any = SimpleNamespace(plan=plan, catalogue=Catalogue(plan), versions={"xtable": "0.4.0-incubating"})
    put_in_force([item], run)
    return [(mark.kwargs["reason"][:7], mark.kwargs["strict"]) for mark in held]


# The register in force: entries in blocks, overlapping entries, releases without entries.


def test_every_block_of_an_entry_is_in_force(audit: Audit, tmp_path: Path) -> None:
    register(tmp_path / "findings.toml")
    ran = audit(*DAFT, f"--findings={tmp_path / 'findings.toml'}")
    assert (ran.status, list(ran.outcomes().values())) == (0, ["known", "known"]), ran.text


def test_a_known_finding_is_printed_in_its_own_words(audit: Audit) -> None:
    ran = audit("suites/bounds", "-k", "types_millis_plain-xtable and contain", "--readers=none", "-rx")
    assert "FINDING  UNSOUND · known as XTF-004 · types_millis_plain-xtable · column at" in ran.text
    assert "is gone" not in ran.text


def test_a_block_describes_its_own_finding_alone(audit: Audit, tmp_path: Path) -> None:
    register(tmp_path / "findings.toml", saw="something else")
    ran = audit(*DAFT, f"--findings={tmp_path / 'findings.toml'}")
    assert (ran.status, sorted(ran.outcomes().values())) == (1, ["finding", "known"]), ran.text


AT_TIMES = """
[[finding.where]]
claims = ["rows_are_those_of_the_files"]
subjects = ["good_*-xtable"]
saw = "{saw}"
at_times = "for this claim"
"""


def test_what_is_seen_at_times_is_known(audit: Audit, tmp_path: Path) -> None:
    text = register(tmp_path / "findings.toml", saw="something else") + AT_TIMES.format(saw=READ)
    (tmp_path / "findings.toml").write_text(text)
    ran = audit(*DAFT, f"--findings={tmp_path / 'findings.toml'}")
    assert (ran.status, list(ran.outcomes().values())) == (0, ["known", "known"]), ran.text


def test_a_test_of_which_something_is_seen_at_times_may_pass(audit: Audit, tmp_path: Path) -> None:
    text = (register(tmp_path / "findings.toml") + AT_TIMES.format(saw=READ)).replace("daft", "duckdb")
    (tmp_path / "findings.toml").write_text(text.replace(">=0.7,<0.8", ">=1"))
    selection = ("suites/selection", "-k", "duckdb and good_layout-xtable and month and rows_are")
    ran = audit(*selection, f"--findings={tmp_path / 'findings.toml'}")
    assert (ran.status, list(ran.outcomes().values())) == (0, ["held"]), ran.text


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "two workers"])
def test_entries_of_two_components_do_not_describe_one_test(
    workers: tuple[str, ...], audit: Audit, tmp_path: Path
) -> None:
    """At versions where both are in force it would be unclear which one is gone."""
    daft = register(tmp_path / "findings.toml")
    other = daft.replace("XTF-001", "XTF-002").replace('component = "daft"', 'component = "xtable"')
    (tmp_path / "findings.toml").write_text(daft + other.replace(">=0.7,<0.8", ">=0.2,<0.5"))
    ran = audit(*DAFT, *workers, f"--findings={tmp_path / 'findings.toml'}")
    assert (ran.status, "XTF-001 and XTF-002 both describe" in ran.text) == (4, True), ran.text


@pytest.mark.parametrize("version", ["0.4.0-incubating", "0.3.0", "0.4.0-incubating-rc2", "0.2.0-SNAPSHOT"])
def test_release_that_entries_can_speak_of_needs_no_words(version: str) -> None:
    assert unknown_release(version) == ""


@pytest.mark.parametrize("version", ["0.6.0", "0.5.0-incubating-rc1", "0.4.1-SNAPSHOT", "my-bundled.jar"])
def test_a_release_without_entries_is_judged_by_the_claims_alone(version: str) -> None:
    assert unknown_release(version).startswith(f"The register does not cover XTable {version}: the claims alone judge")


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["--upgrade-from=../0.9.9"], 4, "--upgrade-from: '../0.9.9' is no version of XTable"),
        (
            ["--upgrade-from=0.4.0", "--xtable=0.3.0", "--recorded"],
            6,
            "There is no recording of XTable 0.4.0-incubating-to-0",
        ),
    ],
    ids=["no version", "never recorded"],
)
def test_an_impossible_upgrade_is_one_sentence(audit: Audit, arguments: list[str], status: int, sentence: str) -> None:
    ran = audit(*arguments, recorded=False)
    assert (ran.status, sentence in ran.text) == (status, True), ran.text


@pytest.fixture(scope="module")
def once(audit: Audit) -> Ran:
    return audit("--each-finding-once", "--readers=none", "-k", "types_nan or types_decimal")


def test_each_finding_in_force_is_shown_once(once: Ran) -> None:
    shown = [claim["finding"]["registered"] for claim in once.document["claims"]]
    assert (once.status, len(shown), set(once.outcomes().values())) == (0, len(set(shown)), {"known"}), once.text


def test_a_finding_is_shown_on_its_smallest_table(once: Ran) -> None:
    tables = {claim["finding"]["registered"]: claim["table"] for claim in once.document["claims"]}
    assert tables["XTF-003"] == "types_nan_index-xtable", once.text


# The register after an upgrade in place: what it alone shows must fail, what any metadata shows may be gone.


@pytest.mark.parametrize(
    ("text", "since", "marked"),
    [
        (PLAIN, None, [("XTF-001", True)]),
        (PLAIN, FROM, [("XTF-001", False)]),
        (STALE, None, []),
        (STALE, FROM, [("XTF-002", True)]),
        (PLAIN + STALE, FROM, [("XTF-002", True)]),
        (PLAIN + STALE, "0.3.0-incubating", [("XTF-001", False)]),
    ],
    ids=["any, alone", "any, in place", "stale, alone", "stale, in place", "both, in place", "both, from another"],
)
def test_what_is_known_of_a_table(tmp_path: Path, text: str, since: str | None, marked: list[tuple[str, bool]]) -> None:
    assert marks(tmp_path, text, since) == marked


@pytest.mark.parametrize(
    ("claim", "incremental_only", "strict"),
    [(OF_EARLIER, False, True), (OF_EARLIER, True, False), (CLAIM, True, True)],
    ids=["earlier states, full sync", "earlier states, no full sync", "the newest state, no full sync"],
)
def test_what_is_known_of_earlier_states_may_be_gone_without_a_full_sync(
    tmp_path: Path, claim: TableClaim, incremental_only: bool, strict: bool
) -> None:
    """The state that a full sync would have made an earlier one is then the newest."""
    text = PLAIN.replace(CLAIM.id, claim.id)
    assert marks(tmp_path, text, None, claim, incremental_only=incremental_only) == [("XTF-001", strict)]
