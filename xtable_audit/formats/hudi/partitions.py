"""Facts about partition paths, and about the partitionSpec that XTable is given for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xtable_audit.formats.configuration import Configuration, SpecField
from xtable_audit.formats.folder import needs_encoding
from xtable_audit.formats.footers import Footer
from xtable_audit.formats.source import FactAnswer, ShownFact, open_if, open_without_configuration, some, yes_if
from xtable_audit.model.source_fact import TableFact

ENCODED = re.compile(r"%[0-9A-Fa-f]{2}")
DEFAULT = "__HIVE_DEFAULT_PARTITION__"
UTC = ("", "UTC", "GMT", "Z", "Etc/UTC", "UCT")
ZONES = ("hoodie.keygen.timebased.timezone", "hoodie.keygen.timebased.output.timezone")
FORMAT = "hoodie.keygen.timebased.output.dateformat"
FINENESS = {"YEAR": "yYu", "MONTH": "MLw", "DAY": "dDEFu", "HOUR": "HkhK"}
"""Transform -> letters of a Java date format, one of which a path must have to be as fine."""
HALF_DAYS = "hK"


@dataclass(frozen=True)
class Paths:
    """The partition columns of a Hudi table, their types, and the folders of its live files."""

    fields: tuple[str, ...]
    types: Mapping[str, str]
    folders: tuple[str, ...]
    settings: Mapping[str, str]

    @property
    def hive_style(self) -> bool:
        return self.settings.get("hoodie.datasource.write.hive_style_partitioning", "false") == "true"

    @property
    def encoded(self) -> bool:
        return self.settings.get("hoodie.datasource.write.partitionpath.urlencode", "false") == "true"

    def facts(self, footers: Sequence[Footer], root: str) -> Iterator[tuple[TableFact, ShownFact]]:
        encoded = [folder for folder in self.folders if ENCODED.search(folder)] if self.encoded else []
        yield TableFact.ENCODED_PATH, some(encoded, "paths such as ")
        yield TableFact.NO_URI_PATH, some(filter(needs_encoding, self.folders), "paths such as ")
        named = [] if self.hive_style else [one for one in self.folders if self._begins_with_a_name(one)]
        yield TableFact.NAME_IN_VALUE, some(named, "paths such as ")
        inside = [field for field in self.fields if "." in field] if self.hive_style else []
        yield TableFact.NESTED_PARTITION, some(inside)
        yield TableFact.EMPTY_STRING, self._empty_strings(footers, root)

    def _begins_with_a_name(self, folder: str) -> bool:
        parts = zip(self.fields, folder.split("/"), strict=False)
        return any(part.startswith(f"{field}=") for field, part in parts)

    def _empty_strings(self, footers: Sequence[Footer], root: str) -> ShownFact:
        """Whether files in the default partition hold values of its column."""
        undecided = set()
        for place, field in enumerate(self.fields):
            folders = {one for one in self.folders if self._value(one, place) == DEFAULT}
            if self.types.get(field) != "string" or not folders:
                continue
            left = set(folders)
            for footer in footers:
                folder = footer.uri.removeprefix(f"{root}/").rpartition("/")[0]
                column = footer.columns.get(field)
                if folder not in folders or column is None:
                    continue
                left.discard(folder)
                if any(not chunk.all_null for chunk in column.chunks):
                    return ShownFact(FactAnswer.YES, f"values of {field} in {folder}")
            undecided |= left
        return open_if(bool(undecided), ", ".join(sorted(undecided)[:3]))

    def _value(self, folder: str, place: int) -> str:
        """The part of a path at that place, without the column's name."""
        parts = folder.split("/")
        value = parts[place] if place < len(parts) else ""
        return value.removeprefix(f"{self.fields[place]}=") if self.hive_style else value


def spec_facts(paths: Paths, config: Configuration | None) -> Iterator[tuple[TableFact, ShownFact]]:
    """How partitionSpec fits the table. Without a configuration all is open for a partitioned table."""
    if not paths.fields:
        return
    if config is None:
        types = {paths.types.get(name) for name in paths.fields}
        yield from open_without_configuration(
            {
                TableFact.NO_SPEC: True,
                TableFact.OTHER_SPEC: True,
                TableFact.SPEC_OF_TIME: bool(types & {"timestamp", "long", "date"}),
                TableFact.SPEC_OF_TYPE: True,
                TableFact.SPEC_BY_TIME: True,
                TableFact.SPEC_DATE_AS_VALUE: "date" in types,
                TableFact.SPEC_IN_STRUCT: any("." in name for name in paths.fields),
            }
        )
        return
    names = tuple(field.name for field in config.spec)
    given, own = ",".join(names), ",".join(paths.fields)
    yield TableFact.NO_SPEC, yes_if(not names, f"partitioned by {own}, no partitionSpec")
    other = bool(names) and names != paths.fields
    yield TableFact.OTHER_SPEC, yes_if(other, f"partitioned by {own}, partitionSpec names {given}")
    yield TableFact.SPEC_OF_TIME, some(one for field in config.spec for one in _of_time(paths, field))
    yield TableFact.SPEC_OF_TYPE, some(one for field in config.spec for one in _of_type(paths, field))
    by_time = [f"{field.name}:{field.transform}" for field in config.spec if field.transform != "VALUE"]
    yield TableFact.SPEC_BY_TIME, some(by_time, "partitionSpec has ")
    by_value = [field.name for field in config.spec if field.transform == "VALUE"]
    dates = [f"{name}, a date, as VALUE" for name in by_value if paths.types.get(name) == "date"]
    yield TableFact.SPEC_DATE_AS_VALUE, some(dates)
    yield TableFact.SPEC_IN_STRUCT, some((name for name in by_value if "." in name), "partitionSpec has ")


def _of_time(paths: Paths, field: SpecField) -> Iterator[str]:
    if field.transform == "VALUE":
        return
    for setting in ZONES:
        if paths.settings.get(setting, "") not in UTC:
            yield f"{setting}={paths.settings[setting]}"
    written = _letters(paths.settings.get(FORMAT, ""))
    if any(letter in written for letter in HALF_DAYS):
        yield f"{FORMAT}={paths.settings[FORMAT]}"
    if not set(FINENESS[field.transform]) & set(_letters(field.format)):
        yield f"{field.name}:{field.transform}:{field.format}"


def _letters(form: str) -> str:
    """A Java date format without its quoted texts."""
    return re.sub(r"'[^']*'", "", form)


def _of_type(paths: Paths, field: SpecField) -> Iterator[str]:
    kind = paths.types.get(field.name)
    if (kind == "date") == (field.transform == "VALUE") and kind in ("date", "string", "long"):
        yield f"{field.name}, a {kind}, as {field.transform}"
