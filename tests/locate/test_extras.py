"""What a catalog needs besides, and by which properties its files are read."""

from __future__ import annotations

import sys

import pytest

from xtable_audit.locate.catalog import metadata_in_catalog
from xtable_audit.locate.stores import tells_of_s3
from xtable_audit.model.problem import Problem


class Config:
    """What PyIceberg read of a user's configuration."""

    def __init__(self, **properties: str) -> None:
        self._properties = properties

    def get_catalog_config(self, name: str) -> dict[str, str]:
        return self._properties


@pytest.mark.parametrize("kind", ["glue", "hive"])
def test_a_catalog_whose_library_is_not_installed_names_the_extra_of_this_package(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyiceberg.catalog._ENV_CONFIG", Config(type=kind, uri="thrift://127.0.0.1:9"))
    monkeypatch.setitem(sys.modules, f"pyiceberg.catalog.{kind}", None)
    with pytest.raises(Problem, match=f"pip install 'xtable-audit\\[{kind}\\]'; configure it"):
        metadata_in_catalog("prod.shop.orders")


def test_an_extra_that_this_package_has_not_stays_pyicebergs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyiceberg.catalog._ENV_CONFIG", Config(type="dynamodb"))
    monkeypatch.setitem(sys.modules, "pyiceberg.catalog.dynamodb", None)
    with pytest.raises(Problem, match=r"pip install 'pyiceberg\[dynamodb\]'"):
        metadata_in_catalog("prod.shop.orders")


@pytest.mark.parametrize(
    ("name", "tells"),
    [
        ("s3.endpoint", True),
        ("client.access-key-id", True),
        ("client.role-arn", True),
        ("client.region", False),
        ("glue.region", False),
        ("warehouse", False),
    ],
)
def test_files_are_read_by_what_the_catalog_tells_of_s3(name: str, tells: bool) -> None:
    assert tells_of_s3({name: "any"}) is tells
