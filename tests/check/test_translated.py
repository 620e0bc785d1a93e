"""`check` on tables that XTable translated, as they were recorded: what is healthy, and what the source alone shows."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest

from lab.stack.cache import Cache
from tests.audit import mutate
from tests.audit.draft import Draft
from tests.audit.healthy import Table
from tests.audit.mirror import Mirror
from tests.native.checked import Found, document_of, found_in, mending
from xtable.archive import unpacked
from xtable.replay import BATTERY_RECORDINGS, SOURCES
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
