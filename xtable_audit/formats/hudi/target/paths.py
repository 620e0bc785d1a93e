"""What a data file's path says: its file group, the instant that added it, and its partition values.

A level is `value`, or `column=value` with hive-style partitioning; a value is decoded only where the table's settings
say that paths are encoded (hoodie.datasource.write.partitionpath.urlencode).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from xtable_audit.formats.delta.types import NoValue, in_partition
from xtable_audit.formats.hudi.timeline import BASE
from xtable_audit.model.columns import Leaf
from xtable_audit.table.partitions import Partitioning, TransformKind

# The names of data files on a Hudi table's timeline: those that Hudi wrote, and those of others with Hudi's marker.

EXTERNAL = re.compile(r"(?P<name>.+)_(?P<time>\d{14,20})_hudiext")
"""Of a file that another writer wrote (ExternalFilePathUtil): its name, and the instant that added it."""


@dataclass(frozen=True)
class DataFileName:
    name: str
    """In its folder."""
    group: str
    """The id of its file group: of another writer's file, its name."""
    time: str
    """The instant that added it."""


def data_file_name(listed: str) -> DataFileName | None:
    """What a name without a folder stands for; None for a log file, or any other."""
    if found := EXTERNAL.fullmatch(listed):
        return DataFileName(found["name"], found["name"], found["time"])
    if found := BASE.fullmatch(listed):
        return DataFileName(listed, found["group"], found["time"])
    return None


# Partition values by the folder of a file, as Hudi's readers take them from its path.

DEFAULT = "__HIVE_DEFAULT_PARTITION__"
GENERATOR = "hoodie.table.keygenerator.class"
BY_TIME = ("TimestampBasedKeyGenerator", "CustomKeyGenerator", "TimestampBasedAvroKeyGenerator")
"""Key generators whose partition paths are texts made of values, in forms that the table's settings need not have."""
ENCODED = "hoodie.datasource.write.partitionpath.urlencode"


@dataclass(frozen=True)
class MadeOf:
    """A partition path that a key generator makes of a value, in a form that is not judged."""

    kind: TransformKind = TransformKind.UNKNOWN
    keeps_order: bool = False

    def of(self, values: pa.Array | pa.ChunkedArray, column: Leaf) -> pa.Array:
        raise NotImplementedError(f"the partition path of {column.path} is not judged")

    def __str__(self) -> str:
        return "key generator"


def as_judged(partitioning: Partitioning, settings: Mapping[str, str]) -> Partitioning:
    """The partitioning, with fields whose values are not those of their columns marked as such."""
    if settings.get(GENERATOR, "").rpartition(".")[2] not in BY_TIME:
        return partitioning
    made = tuple(replace(one, transform=MadeOf()) for one in partitioning.spec)
    return replace(partitioning, spec=made, states_transforms=False)


def values_in(folder: str, types: Mapping[str, pa.DataType], settings: Mapping[str, str]) -> dict[str, Any]:
    """By partition column; a text that is no value of the column's type stays one. None for Hudi's default partition.

    A single column takes the whole path, as in Hudi: `2024/01/05` of one date, and `x/bucket-0` of `p=x/bucket-0`.
    """
    levels = folder.split("/") if len(types) > 1 else [folder]
    return dict(_values(levels, types, settings))


def _values(
    levels: list[str], types: Mapping[str, pa.DataType], settings: Mapping[str, str]
) -> Iterator[tuple[str, Any]]:
    for (name, arrow), level in zip(types.items(), levels, strict=False):
        text = level.removeprefix(f"{name}=")
        text = unquote(text) if settings.get(ENCODED) == "true" else text
        yield name, None if text == DEFAULT else _typed(text, arrow)


def _typed(text: str, arrow: pa.DataType) -> Any:
    try:
        return in_partition(text, arrow)
    except NoValue:
        return text
