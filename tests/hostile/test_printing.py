"""No output holds an escape sequence of a stranger's or a credential of the user's, whatever a text holds."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hostile.conftest import Hostile
from tests.hostile.test_faults import run
from tests.tables.orders import falsify
from xtable_audit.cli.main import run as run_command
from xtable_audit.cli.report import FORMS
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.printable import HIDDEN, printable, shortened, without_credentials
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
KEYS = (
    "secret[-_.]?access[-_.]?key|secret[-_.]key|access[-_.]?key[-_.]?id|session[-_.]?token|account[-_.]key|"
    "sas[-_.]token|oauth2?[-_.]token|client[-_.]secret|connection[-_.]string"
)
PLAINLY = re.compile(
    rf"(?P<name>[\w.-]*(?:{KEYS})[\w.-]*[\"']?\s*[=:]\s*[\"']?|\bauthorization[\"']?\s*[=:]\s*[\"']?(?:\w+\s+)?)"
    r"[^\s\"',}\]]+",
    re.IGNORECASE,
)
"""What a setting with a secret is, in so many words. To find one takes time by the cube of a word's length."""
NAMES = (
    *("secret-access-key", "SECRET_KEY", "access.key.id", "accesskeyid", "sas-token", "oauth2_token", "authorization"),
)
PIECES = (
    *NAMES,
    *("Bearer", "hunter2", "fs.s3a.", "key", "secret", "-", ".", "_", "=", ":", " ", "\n", '"', "'", ",", "}"),
)
MORE = (
    *(
        "://",
        "/",
        "?",
        "&",
        "sig=",
        "token",
        "me:pw@",
        "@",
        "…",
        "\u2003",
        "\u017f",
        "\u212a",
        "a",
        "1",
        "é",
        "\x1b",
        "]",
    ),
)
texts = st.lists(st.sampled_from(PIECES) | st.sampled_from(NAMES) | st.text(max_size=2), max_size=12).map(
    lambda pieces: "".join(pieces).replace("://", "")  # of addresses more is hidden
)
shouted = st.lists(st.sampled_from((*PIECES, *MORE)), min_size=1, max_size=5).map("".join)
LENGTH = 20_000
"""Characters. What takes time by the square of a text's length takes 20 s for as many, and by its cube days."""
MOST = 1.0
"""Seconds of processor time of the whole process: a hundred times what it takes."""


# No output holds an escape sequence of a stranger's, or a credential of the user's.


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


def test_a_report_of_it_is_escaped_in_every_form(
    named: Hostile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    run("the command", str(named.metadata), folder)
    [document] = folder.rglob("audit.json")
    for form in FORMS:
        assert run_command(["report", str(document), "--as", form]) == 0
        printed = capsys.readouterr().out
        assert CONTROL.search(printed) is None
        assert form == "outputs" or "red" in printed  # outputs name no table


# Whatever a text holds, its credentials are hidden as they always were, in time in proportion to its length.


@settings(max_examples=1000)
@given(texts)
def test_the_same_settings_are_hidden_as_by_the_plain_words(text: str) -> None:
    assert without_credentials(text) == PLAINLY.sub(rf"\g<name>{HIDDEN}", text)


@settings(max_examples=100)
@given(shouted, st.sampled_from(("", *PIECES, *MORE)))
def test_the_time_is_in_proportion_to_the_length(piece: str, end: str) -> None:
    text = piece * (LENGTH // len(piece))
    once, twice = spent(text + end), spent(text + text + end)
    assert twice < MOST
    assert twice <= 3 * once + 0.1  # a tenth for whatever else the process does


def spent(text: str) -> float:
    began = time.process_time()
    printable(text)
    return time.process_time() - began
