"""What a run of all tables says of those that it is not asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.provision.catalogue import Catalogue
from lab.provision.not_asked_for import FURTHER, not_asked_for
from lab.provision.plan import Plan
from lab.subjects.groups import ALL, each_target
from spark_jobs.battery.parquet import FOLDERS

USUAL = Plan()
ALL_TABLES = Catalogue(USUAL).ids(each_target(ALL))


def test_a_run_of_all_tables_names_the_options_that_have_more() -> None:
    words = not_asked_for(USUAL, ALL_TABLES, 600)
    assert f"--source-format=parquet ({len(FOLDERS)} tables)" in words
    assert "--source-format=iceberg --target=delta (" in words


def test_the_time_is_at_the_pace_of_the_run() -> None:
    took = [not_asked_for(USUAL, ALL_TABLES, seconds).rpartition("about ")[2] for seconds in (600, 6000)]
    slower, faster = (int(words.removesuffix(" min.")) for words in reversed(took))
    assert slower == pytest.approx(10 * faster, abs=5)


def test_a_run_of_some_tables_names_none() -> None:
    assert not not_asked_for(USUAL, ALL_TABLES[1:], 600)


@pytest.mark.parametrize("options", [*FURTHER, {"upgrade_from": "0.2.0"}, {"xtable_jar": Path("a.jar")}], ids=str)
def test_a_run_that_asks_for_other_tables_names_none(options: dict[str, Any]) -> None:
    assert not not_asked_for(replace(USUAL, readers=(), **options), ALL_TABLES, 600)
