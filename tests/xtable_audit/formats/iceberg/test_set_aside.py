"""What the judge does not know is set aside with a reason, and the rest of the table is judged."""

from __future__ import annotations

from typing import Any

import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from tests.tables import deletes
from tests.tables.draft import Draft, Record
from tests.tables.healthy_deletes import BY_POSITION, BY_VALUE, DELETED
from tests.xtable_audit.claims import mutate
from tests.xtable_audit.conftest import DraftOf, broken
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.predicate import Compare
from xtable_audit.planning.pruning_trial import whole_grid
from xtable_audit.planning.selection import judge_selections

TYPES = ("variant", "geometry(OGC:CRS84)", "geography", "timestamp_ns", "timestamptz_ns", "unknown", "of_tomorrow[7]")


def retype(draft: Draft, path: str, kind: Any) -> None:
    """Another type of the column in every schema."""

    def change(metadata: dict[str, Any]) -> None:
        for schema in metadata["schemas"]:
            fields = schema["fields"]
            *around, name = path.split(".")
            for outer in around:
                fields = next(field for field in fields if field["name"] == outer)["type"]["fields"]
            next(field for field in fields if field["name"] == name)["type"] = kind

    draft.change_metadata(change)
    draft.headers_follow()


@pytest.mark.parametrize("kind", TYPES)
def test_a_column_of_an_unknown_type_is_set_aside(draft_of: DraftOf, kind: str) -> None:
    draft = draft_of("typed")
    retype(draft, "long", kind)
    case = draft.case()
    assert [(one.column, one.path, kind.partition("(")[0] in one.reason) for one in case.stored.set_aside] == [
        ("long", None, True)
    ]
    assert "long" not in case.stored.columns


@pytest.mark.parametrize("path", ["long", "place.zip"])
@pytest.mark.parametrize("kind", ["variant", "timestamp_ns"])
def test_a_column_that_is_set_aside_breaks_no_claim(draft_of: DraftOf, kind: str, path: str) -> None:
    draft = draft_of("typed")
    retype(draft, path, kind)
    assert broken(draft) == set()


@pytest.mark.parametrize(
    "kind",
    [
        {"type": "list", "element-id": 900, "element": "variant", "element-required": False},
        {"type": "map", "key-id": 900, "key": "string", "value-id": 901, "value": "variant", "value-required": False},
    ],
    ids=["list", "map"],
)
def test_an_unknown_type_inside_a_column_is_set_aside(draft_of: DraftOf, kind: dict[str, Any]) -> None:
    draft = draft_of("typed")
    retype(draft, "nothing", kind)
    assert [str(one.column).partition(".")[0] for one in draft.case().stored.set_aside] == ["nothing"]


@pytest.mark.parametrize("kind", ["variant", "timestamp_ns"])
def test_a_fault_beside_a_column_that_is_set_aside_is_found(draft_of: DraftOf, kind: str) -> None:
    draft = draft_of("typed")
    retype(draft, "long", kind)
    mutate.raise_lower(draft, 1, "int")
    assert "bounds_contain_values" in broken(draft)


def test_a_column_that_is_set_aside_keeps_no_other_from_the_grid(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    retype(draft, "long", "variant")
    columns = {one.column for one in whole_grid(draft.mirror.objects, draft.case())}
    assert "int" in columns
    assert "long" not in columns


def test_rows_are_compared_without_a_column_that_is_set_aside(draft_of: DraftOf) -> None:
    draft = draft_of("keyed")
    retype(draft, "long", "variant")
    assert broken(draft) == set()


def relabel(draft: Draft, place: int, kind: str) -> None:
    draft.change_file(place, lambda file: file.update(file_format=kind))
    draft.values_changed = True


@pytest.mark.parametrize("kind", ["ORC", "AVRO", "orc", "LANCE"])
def test_a_file_of_another_format_is_set_aside(draft_of: DraftOf, kind: str) -> None:
    draft = draft_of("typed")
    relabel(draft, 1, kind)
    case = draft.case()
    assert [(one.path, one.reason) for one in case.stored.set_aside] == [
        (case.stored.paths[1], f"files of format {kind.upper()} are not read")
    ]
    assert case.actual.files["record_count"].to_pylist()[1] is None
    assert case.actual.files["exists"].to_pylist() == [True] * 3


@pytest.mark.parametrize("id", ["typed", "keyed"])
def test_a_file_that_is_set_aside_breaks_no_claim(draft_of: DraftOf, id: str) -> None:
    draft = draft_of(id)
    relabel(draft, 1, "ORC")
    file = draft.mirror.file(draft.path(1))
    orc.write_table(pq.read_table(file, columns=["int"]), file)
    draft.change_file(1, lambda told: told.update(file_size_in_bytes=file.stat().st_size, column_sizes=None))
    assert broken(draft) == set()


def test_the_rows_of_a_file_that_is_set_aside_are_counted(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    relabel(draft, 1, "ORC")
    file = draft.mirror.file(draft.path(1))
    orc.write_table(pq.read_table(file, columns=["int"]).slice(1), file)
    draft.change_file(1, lambda told: told.update(file_size_in_bytes=file.stat().st_size, column_sizes=None))
    assert broken(draft) == {"record_counts_are_exact"}


def encrypt(draft: Draft) -> None:
    draft.change_file(1, lambda file: file.update(key_metadata=b"key"))
    draft.mirror.file(draft.path(1)).write_bytes(b"PARE" * (draft.mirror.file(draft.path(1)).stat().st_size // 4))
    size = draft.mirror.file(draft.path(1)).stat().st_size
    draft.change_file(1, lambda file: file.update(file_size_in_bytes=size, column_sizes=None))
    draft.values_changed = True


def test_an_encrypted_file_is_set_aside_by_name(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    encrypt(draft)
    assert [str(one) for one in draft.case().stored.set_aside] == [
        f"{draft.path(1)}: is encrypted, by its key_metadata"
    ]


def test_an_encrypted_file_breaks_no_claim(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    encrypt(draft)
    assert broken(draft) == set()


def test_a_file_with_encrypted_deletes_is_set_aside_by_name(draft_of: DraftOf) -> None:
    draft = draft_of(DELETED)

    def encrypted(entries: list[Record]) -> None:
        for entry in entries:
            entry["data_file"]["key_metadata"] = b"key"

    deletes.change_deletes(draft, encrypted)
    reasons = {one.path: one.reason for one in draft.case().stored.set_aside}
    assert reasons == {
        draft.path(BY_POSITION): "has deletes in deletes-1.parquet, which is encrypted, by its key_metadata",
        draft.path(BY_VALUE): "has deletes in deletes-2.parquet, which is encrypted, by its key_metadata",
    }
    assert broken(draft) == set()


@pytest.mark.parametrize("of", ["manifest list", "manifest"])
def test_encrypted_metadata_is_named(draft_of: DraftOf, of: str) -> None:
    draft = draft_of("typed")
    uri = draft.manifest_list if of == "manifest list" else draft.manifest_of(0)
    draft.mirror.file(uri).write_bytes(b"AGS1" + bytes(100))
    with pytest.raises(Malformed, match="is encrypted, and is not read without its key"):
        draft.case()


def test_a_fault_beside_a_file_that_is_set_aside_is_found(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    relabel(draft, 1, "ORC")
    mutate.raise_lower(draft, 2, "int")
    assert "bounds_contain_values" in broken(draft)


def test_a_file_that_is_set_aside_matches_nothing(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    relabel(draft, 1, "ORC")
    case = draft.case()
    [found] = judge_selections(draft.mirror.objects, case, [Compare("int", ">", -1000)])
    assert found.matching == set(case.stored.paths) - {case.stored.paths[1]}


def test_a_missing_file_of_another_format_is_still_missing(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    relabel(draft, 1, "ORC")
    mutate.delete_object(draft, 1)
    assert "every_file_exists" in broken(draft)
