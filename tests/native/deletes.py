"""Tables with row-level deletes, of every kind that the format versions know, and of several file formats."""

from __future__ import annotations

from tests.native.entry import DeleteByValue, Entry
from tests.native.histories import batch

READ = dict.fromkeys((f"write.{one}.mode" for one in ("delete", "update", "merge")), "merge-on-read")
STEPS = (
    batch(0),
    batch(100),
    "DELETE FROM {table} WHERE id IN (3, 12, 25)",
    "UPDATE {table} SET x = -0.0, p = 'c' WHERE id IN (20, 21, 105)",
    "DELETE FROM {table} WHERE id = 4",
    batch(200),  # newer than the deletes above
    "DELETE FROM {table} WHERE id % 50 = 7",
)
BY_POSITION = Entry(
    "deletes_by_position",
    STEPS,
    (("p", "identity"),),
    READ | {"format-version": "2", "write.delete.granularity": "partition"},
)
BY_POSITION_OF_FILE = Entry(
    "deletes_by_position_of_file", STEPS, properties=READ | {"format-version": "2", "write.delete.granularity": "file"}
)
BY_VECTOR = Entry("deletes_by_vector", STEPS, (("p", "identity"),), READ | {"format-version": "3"})
UPGRADED = Entry(
    "deletes_of_both_versions",
    (
        *STEPS[:3],
        "ALTER TABLE {table} SET TBLPROPERTIES ('format-version' = '3')",
        "DELETE FROM {table} WHERE id IN (5, 106)",
        batch(300),
    ),
    properties=READ | {"format-version": "2"},
)
BY_VALUE = Entry(
    "deletes_by_value",
    (
        batch(0),
        batch(100),
        DeleteByValue("id", (3, 12, 105, 9999), 0, ("a",)),  # 12 lies in another partition
        "DELETE FROM {table} WHERE id = 5",
        DeleteByValue("id", (14,), 0, ("b",)),
        batch(0),  # newer: its rows live
    ),
    (("p", "identity"),),
    READ | {"format-version": "2"},
)
BY_VALUE_OF_ALL = Entry(
    "deletes_by_value_of_all_partitions",
    (
        batch(0),
        "ALTER TABLE {table} ADD PARTITION FIELD p",
        batch(100),
        DeleteByValue("id", (3, 12, 105, 114), 0),  # of an unpartitioned spec: it applies to every partition
        DeleteByValue("id", (4, 101, 113), 1, ("a",)),  # of files of that spec alone
    ),
    properties=READ | {"format-version": "2"},
    repartitioned=(("p", "identity"),),
)
DELETED = (BY_POSITION, BY_POSITION_OF_FILE, BY_VECTOR, UPGRADED, BY_VALUE, BY_VALUE_OF_ALL)

FORMATS = Entry(
    "formats",
    (
        batch(0),
        "ALTER TABLE {table} SET TBLPROPERTIES ('write.format.default' = 'orc')",
        batch(100),
        "ALTER TABLE {table} SET TBLPROPERTIES ('write.format.default' = 'avro')",
        batch(200),
    ),
)
VERSION_3 = Entry("version_3", (batch(0), batch(100)), (("p", "identity"),), {"format-version": "3"})
