"""`affected --target delta` of Paimon tables: what the recorded tables show, and each condition with and without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_jobs.battery.paimon import PAIMON_TABLES
from tests.of_each import of_each
from tests.tables.paimon_by_hand import A, B, Change, Paimon, rows, statistics
from tests.xtable_audit.affected.test_paimon import facts_of, of
from tests.xtable_audit.affected.test_paimon import source as read
from tools.pages.affected import source
from xtable_audit.affected.affected import Affected, Certainty, affected
from xtable_audit.affected.releases import covered
from xtable_audit.formats.paimon.columns import digits
from xtable_audit.formats.paimon.manifests import BinaryRow, ColumnStatistics
from xtable_audit.formats.paimon.snapshots import SchemaField
from xtable_audit.formats.source import FactAnswer
from xtable_audit.model.source_fact import ColumnFact, TableFact
from xtable_audit.model.subject_id import DELTA
from xtable_audit.register.bundled import bundled_register, path_of_register

RELEASE = covered(path_of_register())[-1].to(DELTA)
KERNEL, STANDALONE = "Delta Kernel", "Delta Standalone"
MEETS, MAY_MEET = Certainty.MEETS, Certainty.MAY_MEET
PART, BEFORE_1582, BEFORE_1970 = ColumnFact.MILLISECOND_PART, ColumnFact.BEFORE_1582, ColumnFact.BEFORE_1970
OF_BOUNDS = {PART, BEFORE_1582, BEFORE_1970, ColumnFact.DOUBLE_DIGITS}
SHOWN: dict[str, dict[str, set[ColumnFact]]] = {
    "paimon_micros": {"z": {BEFORE_1970}, "n": {BEFORE_1970}},
    "paimon_millis": {"z": {PART}, "n": {PART}},
    "paimon_decimals": {"m18": {ColumnFact.DOUBLE_DIGITS}},
}
"""What the bounds of a recorded table show beside the rest; every other table nothing."""
CHANGED = {f"paimon_{name}" for name in ("add_column", "added_column", "other_column", "rewritten", "unmeasured")}
HAS_IT: dict[str, tuple[str, Certainty, str]] = {
    "XTF-004": ("paimon_millis", MEETS, KERNEL),
    "XTF-033": ("paimon_decimals", MAY_MEET, KERNEL),
    "XTF-069": ("paimon_rewritten", MAY_MEET, KERNEL),
    "XTF-071": ("paimon_by_special", MEETS, ""),
    "XTF-072": ("paimon_micros", MEETS, KERNEL),
    "XTF-074": ("paimon_millis", MEETS, STANDALONE),
    "XTF-093": ("paimon_small_ints", MEETS, ""),
    "XTF-094": ("paimon_added_column", MEETS, ""),
    "XTF-095": ("paimon_other_column", MEETS, ""),
    "XTF-096": ("paimon_structs", MEETS, ""),
    "XTF-097": ("paimon_null_file", MEETS, STANDALONE),
    "XTF-098": ("paimon_by_date", MEETS, ""),
    "XTF-099": ("paimon_by_special", MEETS, ""),
    "XTF-100": ("paimon_by_nothing", MEETS, ""),
    "XTF-102": ("paimon_key", MEETS, ""),
    "XTF-103": ("paimon_unmeasured", MEETS, ""),
    "XTF-117": ("paimon_plain", MEETS, KERNEL),
}
LACKS_IT = {
    "XTF-004": "paimon_micros",
    "XTF-033": "paimon_plain",
    "XTF-069": "paimon_append",
    "XTF-071": "paimon_by_string",
    "XTF-072": "paimon_millis",
    "XTF-074": "paimon_plain",
    "XTF-093": "paimon_unmeasured",
    "XTF-094": "paimon_rewritten",
    "XTF-095": "paimon_rewritten",
    "XTF-096": "paimon_nested_unmeasured",
    "XTF-097": "paimon_binary",
    "XTF-098": "paimon_by_int",
    "XTF-099": "paimon_by_string",
    "XTF-100": "paimon_by_string",
    "XTF-102": "paimon_once_compacted",
    "XTF-103": "paimon_plain",
}
"""Tables alike, without that one thing."""


@of_each("name", PAIMON_TABLES)
def test_each_recorded_table_shows_what_it_was_made_for(name: str) -> None:
    table = source(name)
    found = {one.path: seen for one in table.columns if (seen := {*one.facts} & OF_BOUNDS)}
    assert found == SHOWN.get(name, {})
    assert (table.facts[TableFact.SCHEMA_CHANGED].answer is FactAnswer.YES) == (name in CHANGED)
    assert (table.facts[TableFact.NO_URI_PATH].answer is FactAnswer.YES) == (name == "paimon_by_special")


def named(table: str) -> dict[str, Affected]:
    return {one.id: one for one in affected(source(table), RELEASE, bundled_register())}


@of_each("id", HAS_IT)
def test_a_table_with_the_condition_is_named_with_its_writer(id: str) -> None:
    table, certainty, writer = HAS_IT[id]
    found = named(table)[id]
    assert (found.certainty, found.writer) == (certainty, writer)


@of_each("id", LACKS_IT)
def test_a_table_without_the_condition_is_not(id: str) -> None:
    assert id not in named(LACKS_IT[id])


def test_what_fails_standalones_syncs_alone_leaves_kernels_findings_as_they_are() -> None:
    found = {id: (one.certainty, one.writer) for id, one in named("paimon_by_null").items()}
    assert found == {"XTF-097": (MEETS, STANDALONE), "XTF-100": (MEETS, ""), "XTF-117": (MEETS, KERNEL)}


SECOND = 1_000
"""In milliseconds."""
GREGORIAN = -141_427 * 86_400 * SECOND
"""1582-10-15."""


@pytest.mark.parametrize(
    ("milliseconds", "shows"),
    [
        (5 * SECOND, set()),
        (5 * SECOND + 1, {PART}),
        (-5 * SECOND - 1, {PART}),  # 999 milliseconds above a whole second
        (GREGORIAN, set()),
        (GREGORIAN - SECOND, {BEFORE_1582}),
    ],
)
def test_milliseconds_are_read_as_paimon_keeps_them(milliseconds: int, shows: set[ColumnFact], tmp_path: Path) -> None:
    """Delta Kernel takes them for microseconds (XTF-004), so its own fault of times before 1970 is none of theirs."""
    of_both = Change(A, rows(0), statistics=statistics(milliseconds, "a"))
    table = of(tmp_path, of_both, columns={0: ("n", "TIMESTAMP(3)"), 1: ("s", "STRING")})
    assert facts_of(table, "n") & OF_BOUNDS == shows


def test_a_file_without_a_maximum_shows_no_bounds(tmp_path: Path) -> None:
    """XTable writes none of a column that lacks one of them."""
    low, none = (statistics(value, "a").minima for value in (GREGORIAN - SECOND, None))
    one_sided = ColumnStatistics(None, low, none)
    columns = {0: ("n", "TIMESTAMP(3)"), 1: ("s", "STRING")}
    assert not facts_of(of(tmp_path, Change(A, rows(0), statistics=one_sided), columns=columns), "n") & OF_BOUNDS


def longer(value: bytes, lower_half: int) -> BinaryRow:
    """A row of one field that is behind the words: its place in the upper half of its word, 16 bytes from the start."""
    word = (16 << 32 | lower_half).to_bytes(8, "little")
    return BinaryRow((1).to_bytes(4, "big") + bytes(8) + word + value)


@pytest.mark.parametrize("milliseconds", [-1, 0, 1_700_000_000_123])
def test_a_timestamp_of_microseconds_is_behind_the_words(milliseconds: int) -> None:
    row = longer(milliseconds.to_bytes(8, "little", signed=True), 456_789)
    assert row.micros(0, 6) == milliseconds * 1000 + 456
    with pytest.raises(ValueError, match="a row of 1 fields has"):
        BinaryRow(row.content[:-1]).micros(0, 6)


@pytest.mark.parametrize("unscaled", [-(10**37), -1, 10**38 - 1])
def test_a_decimal_of_more_than_18_digits_is_behind_the_words(unscaled: int) -> None:
    value = unscaled.to_bytes(17, "big", signed=True)
    assert longer(value, len(value)).unscaled(0, 38) == unscaled


@pytest.mark.parametrize("unscaled", [-(10**17), 0, 10**17])
def test_a_decimal_of_up_to_18_digits_is_in_its_word(unscaled: int) -> None:
    assert statistics(None, unscaled).minima.unscaled(1, 18) == unscaled


@pytest.mark.parametrize(
    ("type", "found"),
    [("DECIMAL(9, 2)", (9, 2)), ("DECIMAL(38,10)", (38, 10)), ("DECIMAL(5)", (5, 0)), ("DECIMAL", (10, 0))],
)
def test_the_digits_of_a_decimal_are_in_its_type(type: str, found: tuple[int, int]) -> None:
    assert digits(SchemaField(0, "m", type)) == found


@pytest.mark.parametrize(("type", "shows"), [("TINYINT", True), ("INT", False)])
def test_bounds_count_where_the_column_has_the_type_that_its_file_was_written_with(
    type: str, shows: bool, tmp_path: Path
) -> None:
    """Bytes of another type may lead anywhere in the row."""
    table = Paimon(tmp_path, columns={0: ("n", "TINYINT"), 1: ("s", "STRING")})
    table.commit(Change(A, rows(0), statistics=statistics(-1, "a")))
    table.alter({0: ("n", type), 1: ("s", "STRING")})
    table.commit(Change(B, rows(5)))
    assert (ColumnFact.MANIFEST_BELOW_ZERO in facts_of(read(table), "n")) == shows
