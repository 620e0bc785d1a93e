"""The journal: what is kept of a request, and for how long."""

from __future__ import annotations

import pytest

from lab.store import journal
from lab.store.journal import Journal, access_key_of
from lab.store.webhook import entries


def entry(key: str) -> journal.Entry:
    return {"key": key, "started": 0}


def test_an_access_key_is_read_from_a_signature() -> None:
    header = "AWS4-HMAC-SHA256 Credential=ME/20230101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
    assert access_key_of(header) == "ME"


@pytest.mark.parametrize("header", ["", "Basic abc", "AWS4-HMAC-SHA256"])
def test_an_unsigned_request_has_no_access_key(header: str) -> None:
    assert access_key_of(header) is None


def test_a_marker_that_does_not_appear_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "PATIENCE", 0.01)
    with pytest.raises(TimeoutError, match="is not in the request log"):
        Journal().until(".window-1", None)


def test_a_window_longer_than_the_journal_is_reported_and_not_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "LONGEST", 10)
    kept = Journal()
    for key in ["a"] * 10 + [".window-1"]:
        kept.add(entry(key))
    with pytest.raises(IndexError, match="holds no more than 10 requests"):
        kept.until(".window-1", since=0)


def test_positions_stay_true_when_old_requests_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "LONGEST", 10)
    kept = Journal()
    for key in [f"k{i}" for i in range(12)] + [".window-1"]:
        kept.add(entry(key))
    position, listed = kept.until(".window-1", since=9)
    assert (position, [one["key"] for one in listed]) == (12, ["k9", "k10", "k11", ".window-1"])


def test_several_audit_documents_may_come_in_one_delivery() -> None:
    one = b'{"time":"2026-11-21T11:39:08.260418854Z","api":{"name":"GetObject","bucket":"b","object":"k"}}'
    assert [one_entry["key"] for one_entry in entries(one + b"\n\n" + one + b"\n")] == ["k", "k"]


def test_what_is_not_about_a_bucket_is_left_out() -> None:
    assert list(entries(b'{"time":"2026-11-21T11:39:08Z","api":{"name":"SiteReplicationInfo"}}')) == []
