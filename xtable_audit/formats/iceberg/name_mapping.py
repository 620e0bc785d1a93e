"""A table's name mapping, which resolves columns of data files without field ids (spec, Name Mapping Serialization)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from xtable_audit.model.malformed import Malformed, first_line
from xtable_audit.model.wanted import Mapped, NameMapping

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata
    from pyiceberg.table.name_mapping import MappedField

PROPERTY = "schema.name-mapping.default"


def name_mapping(metadata: TableMetadata, location: str) -> NameMapping | None:
    """None if the table has no name mapping. Raises Malformed if it cannot be parsed."""
    given = metadata.properties.get(PROPERTY)
    if given is None:
        return None
    from pyiceberg.table.name_mapping import parse_mapping_from_json  # late: a collection reads no metadata

    try:
        return _by_name(parse_mapping_from_json(given).root)
    except ValueError as error:
        raise Malformed(location, f"has a {PROPERTY} that is none: {first_line(error)}") from error


def _by_name(fields: Iterable[MappedField]) -> NameMapping:
    return {name: Mapped(field.field_id, _by_name(field.fields)) for field in fields for name in field.names}
