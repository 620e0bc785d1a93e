"""Whatever a text holds, its credentials are hidden as they always were, in time in proportion to its length."""

from __future__ import annotations

import re
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from xtable_audit.model.printable import HIDDEN, printable, without_credentials

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


@settings(max_examples=1000, deadline=None)
@given(texts)
def test_the_same_settings_are_hidden_as_by_the_plain_words(text: str) -> None:
    assert without_credentials(text) == PLAINLY.sub(rf"\g<name>{HIDDEN}", text)


@settings(max_examples=100, deadline=None)
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
