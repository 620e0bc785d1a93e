"""The reader of Delta's log: which files are live after a version, whatever forms its commits and checkpoints have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from pyarrow import fs

from tests.tables.hand_written import PROTOCOL, Actions, HandWritten, added, lines, metadata, removed
from xtable_audit.formats.delta.log import LogFiles, read_log
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.source import Undetermined
from xtable_audit.model.limits import Limits
from xtable_audit.model.malformed import Malformed, TooLarge
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem

HEAD: tuple[Mapping[str, Any], ...] = (PROTOCOL, metadata())
UUID = "80a083e8-7026-4e79-81be-64bd76c43a11"
INLINE = {"storageType": "i", "pathOrInlineDv": "00000", "sizeInBytes": 4, "cardinality": 1}
OTHER = INLINE | {"pathOrInlineDv": "11111"}


@pytest.fixture
def table(tmp_path: Path) -> HandWritten:
    return HandWritten(tmp_path)


def live(table: HandWritten, until: int | None = None) -> set[str]:
    return {*read_log(table.folder, until).adds}


def refused(table: HandWritten) -> str:
    with pytest.raises(Malformed) as error:
        read_log(table.folder)
    return str(error.value).removeprefix(f"{table.root}/_delta_log")


# Reconciliation


def test_a_removed_file_is_not_live(table: HandWritten) -> None:
    table.commit(0, *HEAD, added("a"), added("b"))
    table.commit(1, removed("a"))
    assert (live(table), live(table, 0)) == ({"b"}, {"a", "b"})


def test_a_file_that_gets_a_deletion_vector_stays_live_in_whatever_order_a_commit_says_so(table: HandWritten) -> None:
    table.commit(0, *HEAD, added("a"))
    table.commit(1, added("a", deletionVector=INLINE), removed("a"))
    assert read_log(table.folder).adds["a"].vector_id == "i00000"


@pytest.mark.parametrize("actions", [(added("a"), removed("a")), (removed("a"), added("a"))], ids=["after", "before"])
def test_a_file_that_a_commit_removes_and_adds_is_live(actions: Actions, table: HandWritten) -> None:
    table.commit(0, *HEAD, added("a"))
    table.commit(1, *actions)
    assert live(table) == {"a"}


def test_a_removal_of_another_deletion_vector_leaves_the_file_live(table: HandWritten) -> None:
    table.commit(0, *HEAD, added("a", deletionVector=INLINE))
    table.commit(1, removed("a", deletionVector=OTHER))
    assert live(table) == {"a"}


def test_a_file_that_is_added_again_has_its_newest_statistics(table: HandWritten) -> None:
    table.commit(0, *HEAD, added("a", stats='{"numRecords":1}'))
    table.commit(1, added("a", stats='{"numRecords":2}'))
    assert read_log(table.folder).adds["a"].stats == '{"numRecords":2}'


def test_the_newest_protocol_metadata_and_transactions_count(table: HandWritten) -> None:
    table.commit(0, *HEAD, {"txn": {"appId": "a", "version": 1}}, {"txn": {"appId": "b", "version": 7}})
    newer = {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["v2Checkpoint"]}}
    table.commit(1, newer, metadata(by=["p"], a="b"), {"txn": {"appId": "a", "version": 2}})
    log = read_log(table.folder)
    assert log.protocol is not None
    assert (log.protocol.min_reader_version, log.protocol.reader_features) == (3, ["v2Checkpoint"])
    assert (log.metadata.settings, log.metadata.partition_by, len(log.history)) == ({"a": "b"}, ("p",), 2)
    assert log.transactions == {"a": 2, "b": 7}


def test_commit_info_is_that_of_the_version(table: HandWritten) -> None:
    table.commit(0, {"commitInfo": {"operation": "WRITE"}}, *HEAD)
    table.commit(1, {"commitInfo": {"operation": "DELETE"}})
    table.commit(2, added("a"))
    told = [read_log(table.folder, version).commit_info for version in range(3)]
    assert told == [{"operation": "WRITE"}, {"operation": "DELETE"}, None]


def test_partition_values_stay_texts(table: HandWritten) -> None:
    values = {"n": "007", "day": "2024-01-01", "none": None, "empty": ""}
    table.commit(0, *HEAD, added("a", partitionValues=values))
    assert read_log(table.folder).adds["a"].partition_values == values


def test_a_path_is_decoded_once(table: HandWritten) -> None:
    table.commit(0, *HEAD, added("p=a%2520b/x%20y.parquet"))
    assert [add.name for add in read_log(table.folder).adds.values()] == ["p=a%20b/x y.parquet"]


# Checkpoints: each holds b, and the commit after it adds c

STATE = (*HEAD, {"txn": {"appId": "a", "version": 3}}, added("b", partitionValues={"p": "1"}), removed("a"))


def classic(table: HandWritten) -> None:
    table.checkpoint(1, ".parquet", STATE)


def in_parts(table: HandWritten) -> None:
    table.checkpoint(1, f".{1:010}.{2:010}.parquet", STATE[:3])
    table.checkpoint(1, f".{2:010}.{2:010}.parquet", STATE[3:])


def of_version_2_in_json(table: HandWritten) -> None:
    table.write(f"{1:020}.checkpoint.{UUID}.json", lines([{"checkpointMetadata": {"version": 1}}, *STATE]))


def with_sidecars_in_json(table: HandWritten) -> None:
    table.sidecar("one.parquet", STATE[3:])
    sidecar = {"sidecar": {"path": "one.parquet", "sizeInBytes": 1}}
    table.write(f"{1:020}.checkpoint.{UUID}.json", lines([*STATE[:3], sidecar]))


def with_sidecars_in_parquet(table: HandWritten) -> None:
    table.sidecar("a b.parquet", STATE[3:])
    table.checkpoint(1, f".{UUID}.parquet", [*STATE[:3], {"sidecar": {"path": "a%20b.parquet"}}])


def classic_with_sidecars_at_addresses(table: HandWritten) -> None:
    table.sidecar("one.parquet", STATE[3:])
    table.checkpoint(
        1, ".parquet", [*STATE[:3], {"sidecar": {"path": f"{table.root}/_delta_log/_sidecars/one.parquet"}}]
    )


FORMS = (
    classic,
    in_parts,
    of_version_2_in_json,
    with_sidecars_in_json,
    with_sidecars_in_parquet,
    classic_with_sidecars_at_addresses,
)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__.replace("_", " "))
def test_a_log_whose_first_commits_are_gone_begins_with_its_checkpoint(
    form: Callable[[HandWritten], None], table: HandWritten
) -> None:
    form(table)
    table.commit(2, added("c"))
    log = read_log(table.folder)
    assert ({*log.adds}, log.from_start, log.transactions) == ({"b", "c"}, False, {"a": 3})
    assert (log.adds["b"].partition_values, len(log.metadata.columns)) == ({"p": "1"}, 1)


def test_a_checkpoint_that_lacks_a_part_is_none(table: HandWritten) -> None:
    in_parts(table)
    table.commit(2, added("c"))
    (table.root / "_delta_log" / f"{1:020}.checkpoint.{2:010}.{2:010}.parquet").unlink()
    assert refused(table) == " begins at commit 2 and has no checkpoint that is read"


def test_of_two_checkpoints_of_a_version_the_one_that_is_written_at_once_counts(table: HandWritten) -> None:
    in_parts(table)
    table.checkpoint(1, ".parquet", [*HEAD, added("classic")])
    assert live(table) == {"classic"}


def test_a_log_with_a_gap_begins_with_the_checkpoint_after_it(table: HandWritten) -> None:
    table.commit(0, *HEAD, added("a"))
    table.checkpoint(2, ".parquet", [*HEAD, added("b")])
    assert live(table) == {"b"}


def test_a_checkpoint_after_the_version_does_not_count(table: HandWritten) -> None:
    table.checkpoint(2, ".parquet", [*HEAD, added("b")])
    with pytest.raises(Undetermined, match="begins at version 2, after version 1"):
        read_log(table.folder, 1)


def test_a_version_that_is_not_there_yet_is_undetermined(table: HandWritten) -> None:
    table.commit(0, *HEAD)
    with pytest.raises(Undetermined, match="has no version 1; its newest is 0"):
        read_log(table.folder, 1)


@pytest.mark.parametrize("hint", ['{"version":7,"size":1}', '{"version":0,"parts":3}', "no JSON"])
def test_the_hint_of_a_last_checkpoint_decides_nothing(hint: str, table: HandWritten) -> None:
    table.commit(0, *HEAD, added("a"))
    table.write("_last_checkpoint", hint)
    assert live(table) == {"a"}


def test_compacted_commits_are_left_to_their_commits(table: HandWritten) -> None:
    table.commit(0, *HEAD, added("a"))
    table.commit(1, added("b"))
    table.write(f"{0:020}.{1:020}.compacted.json", lines([*HEAD, added("other")]))
    assert live(table) == {"a", "b"}


def test_the_files_are_those_that_delta_rs_lists(tmp_path: Path) -> None:
    for value in range(4):
        write_deltalake(tmp_path, pa.table({"p": [f"a b/{value}"], "x": [value]}), mode="append", partition_by=["p"])
    table = DeltaTable(tmp_path)
    table.create_checkpoint()
    table.optimize.compact()
    (tmp_path / "_delta_log" / f"{0:020}.json").unlink()
    log = read_log(TableFolder.at(str(tmp_path)))
    assert {*log.adds} == {*table.get_add_actions(flatten=True)["path"].to_pylist()}
    assert not log.from_start


# What is malformed, in one sentence with the file's name


def schema(text: Any) -> Mapping[str, Any]:
    return {"metaData": {"schemaString": text, "partitionColumns": []}}


WRONG: dict[str, tuple[Actions | str, str]] = {
    "no JSON": ("{", "is not a commit of Delta: line 1 ends inside an object, at column 1"),
    "deep JSON": ('{"add":' + "[" * 5000, "is not a commit of Delta: line 1: recursion limit exceeded, at column "),
    "no action": ("", "is empty: a commit has at least one action"),
    "a blank line alone": (" \n", "is empty: a commit has at least one action"),
    "no object": ("[1]", "has an action that Delta does not know: line 1"),
    "an add without a path": ([*HEAD, {"add": {"size": 1}}], "Delta does not know: line 3, add.path: Field required"),
    "a size in words": ([*HEAD, added("a", size="many")], "line 3, add.size: Input should be a valid integer"),
    "partition values that are numbers": (
        [*HEAD, added("a", partitionValues={"p": 1})],
        "line 3, add.partitionValues.p",
    ),
    "another kind of vector": ([*HEAD, added("a", deletionVector=INLINE | {"storageType": "x"})], "storageType"),
    "a schema that is no JSON": ([schema("{")], "has a schema that is not Delta's, in line 1"),
    "a schema that is a list": ([schema("[1]")], "has a schema that is not Delta's, in line 1"),
    "a column without a name": ([schema('{"type":"struct","fields":[{"type":"long"}]}')], "not Delta's, in line 1"),
    "columns in columns without end": ([schema('{"fields":' * 5000)], "not Delta's, in line 1"),
    "no metadata": ([PROTOCOL], " has no metaData, so there is no schema"),
}


@pytest.mark.parametrize(("content", "words"), WRONG.values(), ids=WRONG)
def test_a_malformed_commit_is_one_sentence(content: Actions | str, words: str, table: HandWritten) -> None:
    table.write(f"{0:020}.json", content if isinstance(content, str) else lines(content))
    said = refused(table)
    assert words in said
    assert said.startswith(f"/{0:020}.json ") or words.startswith(" has no")


def test_a_commit_that_is_missing_is_named(table: HandWritten) -> None:
    table.commit(0, *HEAD)
    table.commit(2, added("a"))
    assert refused(table) == " lacks the commit of version 1"


@pytest.mark.parametrize("path", ["../../secret.parquet", "/etc/secret.parquet", "s3://b/one.parquet", "a%2Fb.parquet"])
def test_a_sidecar_elsewhere_is_not_opened(path: str, table: HandWritten) -> None:
    table.checkpoint(1, ".parquet", [*HEAD, {"sidecar": {"path": path}}])
    assert f"{1:020}.checkpoint.parquet names the sidecar" in refused(table)


def test_a_sidecar_that_does_not_exist_is_named(table: HandWritten) -> None:
    table.checkpoint(1, ".parquet", [*HEAD, {"sidecar": {"path": "gone.parquet"}}])
    assert refused(table) == "/_sidecars/gone.parquet is named by the log but does not exist"


def test_a_checkpoint_that_is_no_parquet_is_named(table: HandWritten) -> None:
    table.write(f"{1:020}.checkpoint.parquet", b"PAR1 no")
    assert f"/{1:020}.checkpoint.parquet is not a checkpoint that can be read" in refused(table)


def test_a_checkpoint_of_other_columns_is_named(table: HandWritten) -> None:
    table.parquet(f"{1:020}.checkpoint.parquet", [{"x": 1}], pa.schema({"x": pa.int64()}))
    assert "is not a checkpoint that can be read: it has no action" in refused(table)


def test_a_checkpoint_beyond_the_limits_is_not_read(table: HandWritten) -> None:
    table.checkpoint(1, ".parquet", [*HEAD, added("a")])
    folder = TableFolder(str(table.root), Objects(fs.LocalFileSystem(), Limits(metadata=1 << 10)))
    with pytest.raises(TooLarge, match=r"checkpoint\.parquet is not read: its footer has"):
        read_log(folder)


def test_a_folder_without_a_log_is_no_delta_table(table: HandWritten) -> None:
    with pytest.raises(Problem, match="is no Delta table"):
        read_log(table.folder)


def test_a_log_at_a_local_address_is_read_over_a_part_of_a_filesystem(table: HandWritten) -> None:
    """As runs read a folder of Parquet files: their view is a folder of this disk, and its root that of addresses."""
    part = fs.SubTreeFileSystem(str(table.root.parent), fs.LocalFileSystem())
    table.commit(0, *HEAD)
    assert LogFiles.of(TableFolder(f"file:/{table.root.name}", Objects(part))).newest == 0
