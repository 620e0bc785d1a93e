"""The name of a file on Hudi's timeline says which instant it is of, and whether that has completed."""

from __future__ import annotations

import pytest

from xtable_audit.formats.hudi.instants import instant_in

AT, LATER = "20240101000001000", "20240101000002000"


@pytest.mark.parametrize(
    ("name", "action", "is_completed"),
    [
        (f"{AT}.commit", "commit", True),
        (f".hoodie/{AT}.replacecommit", "replacecommit", True),
        (f"{AT}_{LATER}.deltacommit", "deltacommit", True),
        (f"{AT}.commit.requested", "commit", False),
        (f"{AT}.deltacommit.inflight", "deltacommit", False),
        (f"{AT}.inflight", "inflight", False),
    ],
)
def test_a_file_of_the_timeline_is_of_an_instant(name: str, action: str, is_completed: bool) -> None:
    found = instant_in(name)
    assert found is not None
    assert (found.time, found.action, found.name, found.is_completed) == (AT, action, name, is_completed)


@pytest.mark.parametrize("name", ["hoodie.properties", f".{AT}.commit.crc", f"{AT}.commit.tmp", f"x{AT}.commit"])
def test_another_file_is_of_none(name: str) -> None:
    assert instant_in(name) is None
