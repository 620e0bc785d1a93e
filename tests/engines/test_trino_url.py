"""A Trino of the user's, by its URL."""

from __future__ import annotations

import re

import pytest

from lab.engines.trino.handle import TrinoServer
from lab.engines.trino.remote import Address, parse, version_of
from lab.stack.child import free_port
from xtable_audit.model.problem import Problem


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://me@trino:8081", Address(TrinoServer("http://trino:8081", "me"), None)),
        ("http://trino/", Address(TrinoServer("http://trino:8080", "xtable-audit"), None)),
        ("http://me@trino:8081/lake", Address(TrinoServer("http://trino:8081", "me"), "lake")),
        ("https://me:p%40ss@trino", Address(TrinoServer("https://trino:443", "me", "p@ss"), None)),
        ("http://me@[::1]:8080", Address(TrinoServer("http://[::1]:8080", "me"), None)),
    ],
)
def test_a_url_says_where_as_whom_and_in_which_catalog(url: str, address: Address) -> None:
    assert parse(url) == address


@pytest.mark.parametrize(
    "url",
    ["ftp://me@trino:8080", "http://", "http://me@trino:port", "http://me@trino:8080/lake/audit", "http://trino?a=b"],
)
def test_any_other_url_is_answered_with_the_shape_of_one(url: str) -> None:
    with pytest.raises(
        Problem, match=re.escape(f"--trino {url} is not the address of a Trino: write http://user@host:port")
    ):
        parse(url)


def test_a_password_in_the_clear_is_refused_and_not_repeated() -> None:
    with pytest.raises(Problem, match=r"--trino http://me:…@trino: Trino takes a password over https only"):
        parse("http://me:hidden@trino")


def test_where_nothing_answers_the_user_is_pointed_to_the_cause() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(Problem, match=f"Trino at {url} is gone or does not answer .*is it running"):
        version_of(parse(url))
