"""The actions of Delta's log, as its commits and checkpoints have them (Delta protocol, Actions).

Values are the log's own: texts stay texts, and what a writer left out is None. A value of another type than the
protocol has is malformed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from xtable_audit.formats.delta.deletion_vector import VectorDescriptor
from xtable_audit.formats.delta.schema import DeltaColumn, columns_in
from xtable_audit.formats.delta.statistics import FileStatistics, as_logged, parsed_statistics
from xtable_audit.model.malformed import Malformed

STRICT = ConfigDict(alias_generator=to_camel, strict=True, frozen=True)
NO_JSON = re.compile(
    r"Invalid JSON: (?:EOF while parsing (?P<inside>.+)|(?P<reason>.+)) at line 1 column (?P<column>\d+)"
)
"""What pydantic says of a text that is no JSON. Each line of a file is a text of its own."""


class FileAction(BaseModel):
    """A logical file: a data file, without the rows of its deletion vector. Of a `remove`, all that a reader needs."""

    model_config = STRICT
    path: str
    """As in the log: a URI, encoded, relative to the table or absolute."""
    deletion_vector: VectorDescriptor | None = None

    @property
    def name(self) -> str:
        """The path, decoded."""
        return unquote(self.path)

    @property
    def vector_id(self) -> str | None:
        return self.deletion_vector.unique_id if self.deletion_vector is not None else None


class AddAction(FileAction):
    partition_values: Mapping[str, str | None] | None = None
    """Physical name of each partition column to its value as text."""
    size: int | None = None
    stats: str | None = None
    """JSON, as its writer left it."""
    stats_parsed: Mapping[str, Any] | None = Field(None, alias="stats_parsed")
    """What a checkpoint has instead, or besides."""

    @property
    def statistics(self) -> FileStatistics | None:
        """By the text, or by what a checkpoint has instead; None if there are none. Raises ValueError if broken."""
        if self.stats:
            return parsed_statistics(self.stats)
        return FileStatistics.of(as_logged(self.stats_parsed)) if self.stats_parsed is not None else None


class MetadataAction(BaseModel):
    model_config = STRICT
    schema_string: str
    partition_columns: Sequence[str] | None = None
    configuration: Mapping[str, str | None] | None = None

    @cached_property
    def columns(self) -> tuple[DeltaColumn, ...]:
        """Raises ValueError for a schema that is not Delta's."""
        return columns_in(self.schema_string)

    @property
    def partition_by(self) -> tuple[str, ...]:
        return tuple(self.partition_columns or ())

    @property
    def settings(self) -> dict[str, str]:
        return {name: value for name, value in (self.configuration or {}).items() if value is not None}


class ProtocolAction(BaseModel):
    model_config = STRICT
    min_reader_version: int
    min_writer_version: int
    reader_features: Sequence[str] | None = None
    writer_features: Sequence[str] | None = None


class TransactionAction(BaseModel):
    """The newest version that an application has written."""

    model_config = STRICT
    app_id: str
    version: int


class SidecarAction(BaseModel):
    """A file with a part of a v2 checkpoint's files."""

    model_config = STRICT
    path: str


class Action(BaseModel):
    """One line of a commit, or one row of a checkpoint: one of these is there, or an action that no reader needs."""

    model_config = STRICT
    add: AddAction | None = None
    remove: FileAction | None = None
    meta_data: MetadataAction | None = None
    protocol: ProtocolAction | None = None
    txn: TransactionAction | None = None
    commit_info: Mapping[str, Any] | None = None
    sidecar: SidecarAction | None = None


def actions_in_lines(uri: str, content: bytes) -> list[Action]:
    """The actions of a file of JSON lines. Raises Malformed, with the number of the line."""
    lines = enumerate(content.splitlines(), start=1)
    return [_valid(uri, f"line {number}", line) for number, line in lines if line.strip()]


def actions_in_rows(uri: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[Action]:
    """The actions of a checkpoint's rows. Raises Malformed, with the number of the row."""
    for number, row in enumerate(rows, start=1):
        yield _valid(uri, f"row {number}", row)


def _valid(uri: str, where: str, written: bytes | Mapping[str, Any]) -> Action:
    try:
        found = Action.model_validate_json(written) if isinstance(written, bytes) else Action.model_validate(written)
        if found.meta_data is not None:
            _ = found.meta_data.columns  # fails here, where the file is known
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        if first["type"] == "json_invalid":
            raise Malformed(uri, f"is not a commit of Delta: {where}{_no_json(first['msg'])}") from error
        place = ".".join(map(str, first["loc"]))
        what = f"has an action that Delta does not know: {where}{f', {place}' if place else ''}"
        raise Malformed(uri, f"{what}: {first['msg']}") from error
    except ValueError as error:
        raise Malformed(uri, f"has a schema that is not Delta's, in {where}: {error}") from error
    return found


def _no_json(message: str) -> str:
    """What is wrong with a line, after its number."""
    found = NO_JSON.fullmatch(message)
    if found is None:
        return f": {message}"
    what = f" ends inside {found['inside']}" if found["inside"] else f": {found['reason']}"
    return f"{what}, at column {found['column']}"
