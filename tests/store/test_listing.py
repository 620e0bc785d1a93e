"""A listing does not fail because another request deletes an object meanwhile."""

from __future__ import annotations

import pytest
from moto.s3.utils import _VersionedKeyStore as Keys

from lab.store.moto_server import items, list_at_one_moment


@pytest.fixture
def keys() -> Keys:
    found = Keys()
    for key in ("a", "b"):
        found[key] = f"object {key}"
    return found


def test_moto_itself_fails(keys: Keys) -> None:
    """Once it does not, `list_at_one_moment` has no use any more."""
    listing = Keys._iteritems(keys)
    next(listing)
    dict.pop(keys, "b")
    with pytest.raises(KeyError, match="b"):
        next(listing)


def test_object_that_is_deleted_meanwhile_is_listed(keys: Keys) -> None:
    listing = items(keys)
    next(listing)
    dict.pop(keys, "b")
    assert list(listing) == [("b", "object b")]


def test_server_lists_at_one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Keys, "items", Keys._iteritems)
    list_at_one_moment()
    assert Keys.items is items
