"""Every recorded source names its own address alone, so that no finding over it is the harness's own."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lab.stack.cache import Cache
from lab.store.address import prefix_of
from lab.store.workspace import BUCKET
from spark_jobs.addresses import addresses_in, demand_own_addresses
from spark_jobs.battery.tables import BATTERY
from spark_jobs.recipes import RECIPES
from xtable.archive import unpacked
from xtable.replay import BATTERY_RECORDINGS, RECORDINGS, SOURCES


@cache
def packed() -> Path:
    return unpacked(BATTERY_RECORDINGS, Cache()) / SOURCES


def sources() -> list[str]:
    return [*BATTERY, *(name for name, recipe in RECIPES.items() if recipe.format != "ICEBERG")]


def test_a_recorded_source_names_no_other_place() -> None:
    for name in sources():
        tree = (packed() if name in BATTERY else RECORDINGS / SOURCES) / name
        assert demand_own_addresses(tree, f"s3://{BUCKET}/{prefix_of(name)}") > 0, name


def test_a_rollback_and_a_restore_name_what_they_deleted() -> None:
    """Else the first test would look at nothing that could go astray."""
    for name, instant in (("history_rollback", "*.rollback"), ("history_restore", "*.restore")):
        [instant_file] = (packed() / name / ".hoodie").glob(instant)
        assert [
            found for found in addresses_in(instant_file) if found.startswith(f"//{BUCKET}/{prefix_of(name)}/part=")
        ]
