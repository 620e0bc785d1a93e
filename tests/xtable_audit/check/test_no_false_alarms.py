"""`check` accuses no healthy table: none that XTable translated, and none whose properties leave metadata out."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from lab.stack.cache import Cache
from tests.other_writers.every_claim import Found, document_of, found_in, mending
from tests.tables.draft import Draft
from tests.tables.healthy import Table
from tests.tables.lake import XTABLE, Lake, data_files, exchange, orders, with_column
from tests.tables.mirror import Mirror
from tests.xtable_audit.claims import mutate
from tests.xtable_audit.cli.conftest import Command, command, lake
from xtable.replay import BATTERY_RECORDINGS, SOURCES, unpacked
from xtable_audit.model.finding import Verdict
from xtable_audit.report.check_screen import check_screen
from xtable_audit.report.document import Document

RELEASE = "0.4.0-incubating"
WRITERS = {
    RELEASE: "XTable 0.4.0 or later",
    "0.3.0-incubating": "XTable 0.2.0 or 0.3.0",
    "0.2.0-incubating": "XTable 0.2.0 or 0.3.0",
}
ZERO_SIZES: Found = {"column_sizes_fit_the_file": Verdict.COSMETIC}
"""XTF-063."""
EMPTIED: Found = dict.fromkeys(("value_counts_are_exact", "null_counts_are_exact"), Verdict.COSMETIC)
"""XTF-032."""
__all__ = ["command", "lake"]
OF = "write.metadata.metrics."


def recorded(name: str, folder: Path, release: str = RELEASE) -> Table:
    """The table after its last sync, at the address where it was written."""
    recordings, mirror = unpacked(BATTERY_RECORDINGS, Cache()), Mirror(folder)
    root = mirror.uri(f"tables/{name}")
    shutil.copytree(recordings / SOURCES / name, mirror.file(root))
    metadata = mirror.file(f"{root}/metadata")
    shutil.copytree(recordings / release / name / "metadata", metadata)
    newest = (metadata / "version-hint.text").read_text(encoding="utf-8").strip()
    return Table(name, mirror, root, f"{root}/metadata/v{newest}.metadata.json", (), ())


def checked(table: Table) -> Document:
    return document_of(table.id, table.mirror, table.metadata_location)


# `check` on tables that XTable translated, as they were recorded: what is healthy, and what the source alone shows.


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("history_upsert", {}),
        ("history_delete", EMPTIED),
        ("history_cluster", {}),
        ("partition_by_day", {}),
        ("delta_vectors", ZERO_SIZES),
        ("delta_changed", ZERO_SIZES),
    ],
)
def test_nothing_is_found_but_what_is_known_of_the_release(name: str, found: Found, tmp_path: Path) -> None:
    assert found_in(checked(recorded(name, tmp_path))) == found


@pytest.mark.parametrize(("release", "writer"), WRITERS.items())
def test_the_release_is_named_as_far_as_it_is_known(release: str, writer: str, tmp_path: Path) -> None:
    """XTable's main has the same version of Iceberg as 0.4.0."""
    table = checked(recorded("history_upsert", tmp_path, release)).own_table
    assert table is not None
    assert table.writer == writer


def test_a_planted_fault_is_found_and_nothing_else(tmp_path: Path) -> None:
    healthy = recorded("history_upsert", tmp_path / "healthy")
    draft = Draft.of(healthy, tmp_path / "spoilt")
    partial(mutate.lower_upper, place=0, column="i")(draft)
    document = document_of(healthy.id, draft.mirror, healthy.metadata_location)
    assert found_in(document) == {"bounds_contain_values": Verdict.UNSOUND}


def test_no_rewrite_is_advised_of_files_that_are_hudis(tmp_path: Path) -> None:
    """The next sync would take it for the source's, or fail over it."""
    healthy = recorded("history_upsert", tmp_path / "healthy")
    draft = Draft.of(healthy, tmp_path / "spoilt")
    mutate.lower_upper(draft, 0, "i")
    document = document_of(healthy.id, draft.mirror, healthy.metadata_location)
    assert [mending(one.finding) for one in document.claims if one.finding] == [()]


def test_rows_that_a_deletion_vector_of_the_source_deletes_are_said_not_to_be_checked(tmp_path: Path) -> None:
    screen = " ".join(str(line) for line in check_screen(checked(recorded("delta_vectors", tmp_path))))
    assert "The Delta source is not read: whether all of its rows are here, and none that it deleted" in screen
    assert "RIGHT RESULTS" not in screen


def test_the_one_known_finding_that_it_may_be_brings_its_remedy(tmp_path: Path) -> None:
    lines = [str(line) for line in check_screen(checked(recorded("delta_micros", tmp_path)))]
    told = " ".join(" ".join(lines).split())
    assert "maybe XTF-035: Delta timestamps get an upper bound cut to milliseconds do if it is XTF-035: " in told


# What a table's own properties leave out of its metadata is no finding, and is named; what is wrong still is one.


@pytest.mark.parametrize(
    ("properties", "aside"),
    [
        ({f"{OF}column.city": "none"}, "no bounds are stored, as write.metadata.metrics.column.city=none"),
        ({f"{OF}column.city": "counts"}, "no bounds are stored, as write.metadata.metrics.column.city=counts"),
        ({f"{OF}default": "counts"}, "no bounds are stored, as write.metadata.metrics.default=counts"),
        ({f"{OF}column.remark": "truncate(4)"}, "bounds are cut, as write.metadata.metrics.column.remark=truncate(4)"),
    ],
    ids=["a column without metrics", "a column with counts", "all with counts", "a column with short bounds"],
)
def test_what_a_property_asks_for_is_named_and_no_finding(
    lake: Lake, command: Command, properties: dict[str, str], aside: str
) -> None:
    lake.table("orders", orders(0), orders(1), **properties)
    ran = command("check", lake.root("orders"))
    assert (ran.status, aside in " ".join(ran.out.split())) == (0, True), ran.out


def test_a_false_bound_beside_it_is_a_finding(lake: Lake, command: Command) -> None:
    table = lake.table("orders", orders(0), **{f"{OF}column.city": "none"})
    exchange(data_files(table)[0], with_column("id", lambda ids: pc.add(ids, 1000)))
    assert command("check", lake.root("orders")).status == 1


def wide(number: int) -> pa.Table:
    return pa.table({f"c{place:03}": pa.array([number, number + 1]) for place in range(103)})


@pytest.mark.parametrize(("properties", "status"), [({}, 0), (XTABLE, 1)], ids=["by a writer of Iceberg", "by XTable"])
def test_columns_beyond_the_hundredth_need_no_metrics_of_a_writer_that_asks_the_property(
    lake: Lake, command: Command, properties: dict[str, str], status: int
) -> None:
    """XTable takes what its source has, however many columns there are."""
    none = {f"{OF}column.c{place:03}": "none" for place in (101, 102)}
    table = lake.table("wide", wide(0), wide(10), **none)
    with table.transaction() as change:
        change.remove_properties(*none)
        change.set_properties(properties)
    assert command("check", lake.root("wide"), "--fail-on", "LOOSE").status == status
