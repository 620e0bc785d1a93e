"""What a user types as an option is what the plan has."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fixtures.options import plan_of
from lab.provision.plan import Plan
from tests.of_each import of_each

OTHER: dict[str, Any] = {
    "xtable": "0.4.0-incubating",
    "incremental_only": True,
    "target": "delta",
    "delta_target_by": "standalone",
    "delta_source_by": "kernel",
    "source_format": "paimon",
    "standalone_tables": "all",
    "zone": "Asia/Kolkata",
    "s3": "minio",
    "sync_through": "store",
    "bucket": "lake",
    "sources": "written",
    "translations": "recorded",
    "scale": 2.0,
    "seed": 8,
    "hudi": "live",
    "shipping": 1966,
    "year": 2024,
    "recorded": True,
    "trino": "process",
    "trino_catalog": "file",
    "nessie": "process",
    "firebolt": "cloud",
    "ask_again": True,
    "each_finding_once": True,
    "registered_only": True,
    "findings": Path("mine.toml"),
    "out": Path("elsewhere"),
}
"""Another value than the default, of each option that stands for itself."""
READ = ("xtable_jar", "fresh_jvm", "upgrade_from", "tlc", "readers", "fail_on")
"""Of these, the plan has something that is made of what the user types, or they need another option or a file."""


def config(**given: object) -> pytest.Config:
    """pytest's, with every option at its default but for those given."""
    typed = {f"--{one.name.replace('_', '-')}": given.get(one.name, one.default) for one in fields(Plan)}
    typed |= {"--readers": None, "--fail-on": None}
    return cast(
        pytest.Config, SimpleNamespace(getoption=typed.__getitem__, option=SimpleNamespace(keyword=""), args=[])
    )


def test_each_option_is_looked_at() -> None:
    assert {*OTHER, *READ} == {one.name for one in fields(Plan)}


@of_each("name", OTHER)
def test_the_plan_has_what_the_user_types(name: str) -> None:
    assert getattr(plan_of(config()), name) == getattr(Plan(), name)
    assert getattr(plan_of(config(**{name: OTHER[name]})), name) == OTHER[name]
