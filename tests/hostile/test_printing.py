"""No output holds an escape sequence of a stranger's, or a credential of the user's."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lab.stack.project import ROOT
from tests.hostile.table import Hostile
from tests.hostile.test_read_only import run
from tests.orders import falsify
from xtable_audit.cli.forms import FORMS
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.printable import printable, shortened
from xtable_audit.model.problem import Problem

NAME = "\x1b[31m[red]\x07\u202eprice\nFINDING"
SHOWN = "\\x1b[31m[red]\\x07\\u202eprice\\nFINDING"
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")

SECRET = {
    "s3://me:hunter2@bucket/key": "s3://***@bucket/key",
    "https://b.s3.amazonaws.com/k?X-Amz-Signature=hunter2&x=1": "https://b.s3.amazonaws.com/k?X-Amz-Signature=***&x=1",
    "https://a.blob.core.windows.net/k?sv=1&sig=hunter2": "https://a.blob.core.windows.net/k?sv=1&sig=***",
    "{'s3.secret-access-key': 'hunter2', 's3.region': 'r'}": "{'s3.secret-access-key': '***', 's3.region': 'r'}",
    "AWS_SESSION_TOKEN=hunter2 pytest": "AWS_SESSION_TOKEN=*** pytest",
    "fs.s3a.secret.key: hunter2": "fs.s3a.secret.key: ***",
    "Authorization: Bearer hunter2": "Authorization: Bearer ***",
}
PLAIN = (
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
    "column password: lower bound 3",
    "secret = 'x' finds 0 of 3 rows",
    "s3://bucket/a@b/key=1/part=2.parquet",
    "Größe · 東京 · 👩‍🚀",
)


@pytest.mark.parametrize(("text", "shown"), SECRET.items())
def test_a_credential_is_hidden(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize("text", PLAIN)
def test_other_words_stay_as_they_are(text: str) -> None:
    assert printable(text) == text


def test_control_characters_become_escapes() -> None:
    assert printable(NAME) == SHOWN


def test_a_long_text_loses_its_middle() -> None:
    assert len(shortened("a" * 10_000, 100)) == 99


@pytest.mark.parametrize("error", [Malformed(NAME, f"holds {NAME}"), Problem(NAME.replace("\n", " "))])
def test_a_sentence_holds_no_control_characters(error: Exception) -> None:
    assert str(error).isprintable()


@pytest.fixture
def named(hostile: Hostile) -> Hostile:
    """A table with a false bound of a column of such a name."""
    falsify(hostile.data)

    def rename(content: dict[str, list[dict[str, list[dict[str, str]]]]]) -> None:
        for schema in content["schemas"]:
            schema["fields"][0]["name"] = NAME

    hostile.change_metadata(rename)
    return hostile


@pytest.mark.parametrize("way", ["pytest", "the command"])
def test_a_column_whose_name_controls_terminals_is_shown_escaped(named: Hostile, way: str, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    ran = run(way, str(named.metadata), folder)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert SHOWN in re.sub(r"\s+", "", ran.stdout)
    assert CONTROL.search(ran.stdout + ran.stderr) is None


def test_a_report_of_it_is_escaped_in_every_form(named: Hostile, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    run("the command", str(named.metadata), folder)
    [document] = folder.rglob("audit.json")
    for form in FORMS:
        command = [sys.executable, "-m", "xtable_audit", "report", str(document), "--as", form]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100, check=True)
        assert CONTROL.search(ran.stdout) is None
        assert form == "outputs" or "red" in ran.stdout  # outputs name no table
