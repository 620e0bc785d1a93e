"""The folders of `docs/findings/reproduce`, and one that is run: written by Spark, synced by a release, compared."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from provision.register import REGISTER, register
from reproduce.__main__ import main
from reproduce.folder import can_be_reproduced, texts
from stack.jars import is_resolvable
from stack.versions import releases
from xtable_audit.register.entry import Entry

ENTRIES = register(REGISTER)
REPRODUCED = [entry for entry in ENTRIES if can_be_reproduced(entry)]


def by_id(id: str) -> Entry:
    return next(entry for entry in ENTRIES if entry.id == id)


@pytest.mark.parametrize("entry", REPRODUCED, ids=lambda entry: entry.id)
def test_a_script_needs_python_and_spark_alone(entry: Entry) -> None:
    imported = {
        name.partition(".")[0]
        for node in ast.walk(ast.parse(texts(entry)["write.py"]))
        for name in (
            [one.name for one in node.names]
            if isinstance(node, ast.Import)
            else [str(node.module)]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= {"json", "os", "shutil", "subprocess", "sys", "functools", "pathlib", "pyspark"}


@pytest.mark.parametrize("entry", REPRODUCED, ids=lambda entry: entry.id)
def test_a_fault_is_a_claim_of_its_finding(entry: Entry) -> None:
    assert json.loads(texts(entry)["fault.json"])["claims"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["XTF-999"], "There is no finding XTF-999"),
        (["XTF-009"], "XTF-009 has become part of XTF-003."),
        (["XTF-001"], "XTF-001 is a finding of daft, which a sync does not show"),
        (["XTF-004", "--xtable", "9.9.9"], "9.9.9"),
        (["XTF-004", "--jar", "/nowhere.jar"], "there is no file /nowhere.jar"),
        (["XTF-060"], "XTF-060 is about upgrades in place: name the release of the first sync"),
    ],
    ids=[
        "an unknown finding",
        "a finding that has become part of another",
        "a reader's finding",
        "an unknown release",
        "a jar that is not there",
        "no first release",
    ],
)
def test_what_cannot_be_tried_is_one_sentence(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, f"--folder={tmp_path}"]) == 6
    assert words in capsys.readouterr().err


@pytest.mark.spark
@pytest.mark.jvm
@pytest.mark.slow
@pytest.mark.parametrize(
    ("id", "release", "status"),
    [("XTF-003", "0.4.0", 1), ("XTF-025", "0.3.0", 1), ("XTF-025", "0.4.0", 0)],
    ids=["a finding of 0.4.0 is there", "one of 0.3.0 is there", "and gone in 0.4.0"],
)
def test_a_finding_is_there_or_gone(
    id: str, release: str, status: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    wanted = next(one for one in releases() if one.short == release)
    if not is_resolvable(wanted):
        pytest.skip(f"XTable {release} does not resolve")
    assert main([id, "--xtable", release, f"--folder={tmp_path}"]) == status, capfd.readouterr().out
