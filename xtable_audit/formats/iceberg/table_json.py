"""Finds a table's metadata.json and parses it as other readers would, with bounded memory and depth."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import fs
from pyiceberg.transforms import BucketTransform, Transform, TruncateTransform
from pyiceberg.types import UnknownType

from xtable_audit.formats.iceberg.avro_guards import Bomb, Members, most_members, ungzipped
from xtable_audit.formats.iceberg.metadata_json_types import AsWritten, Names, as_written
from xtable_audit.model.malformed import Unread, first_line
from xtable_audit.model.objects import Objects, too_large
from xtable_audit.model.problem import Problem, Unreachable

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata

GZIP = b"\x1f\x8b"
BYTES_A_VALUE = 16
"""Least average size of a value in a metadata.json near the limit. Python takes up to 100 bytes for each."""


def read_table_json(objects: Objects, uri: str) -> tuple[str, Any, AsWritten]:
    """The text, what it says, and what is wrong with how it is written.

    A gzipped one is inflated (Iceberg, write.metadata.compression-codec).

    Raises Malformed if there is no file, TooLarge by the object's limits, ValueError if it is no JSON.
    """
    content, limit = objects.read(uri), objects.limits.metadata
    if content.startswith(GZIP):
        try:
            content = ungzipped(content, limit)
        except Bomb:
            raise too_large(uri, "inflates to more bytes than it may have", limit) from None
        except Members:
            raise too_large(uri, "has more gzip members than it may have", most_members(limit)) from None
    if (values := content.count(b",") + content.count(b"[") + content.count(b"{")) > limit // BYTES_A_VALUE:
        raise too_large(uri, f"holds about {values:,} values", limit // BYTES_A_VALUE)
    text, names = content.decode("utf-8"), Names()
    try:
        raw = json.loads(text, object_pairs_hook=names, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return text, raw, as_written(raw, names)


def _refuse(constant: str) -> None:
    """NaN and infinities, which Python takes for JSON."""
    raise ValueError(f"{constant} is no JSON")


def leave_inline_manifests(metadata_location: str, raw: Any) -> None:
    """Raises Unread if a snapshot lists its manifests itself, as format version 1 allows (Iceberg spec, Snapshots)."""
    snapshots = raw.get("snapshots") if isinstance(raw, dict) and raw.get("format-version") == 1 else None
    for one in snapshots if isinstance(snapshots, list) else ():
        if isinstance(one, dict) and "manifest-list" not in one and isinstance(one.get("manifests"), list):
            reason = f"lists the manifests of snapshot {one.get('snapshot-id')} in itself, a form of format version 1"
            raise Unread(metadata_location, f"{reason} that is not read here")


def demand_what_java_does(metadata: TableMetadata) -> None:
    """Field ids and numbers of transforms are of type int (Iceberg spec, Schemas and Partition Transforms), and
    partition fields have names (PartitionSpec.Builder). Raises ValueError.
    """
    for schema in metadata.schemas:
        for id in schema.field_ids:
            if not -(1 << 31) <= id < 1 << 31:
                raise ValueError(f"schema {schema.schema_id} has the field id {id}, which is no 32-bit integer")
    for spec in metadata.partition_specs:
        if not all(field.name for field in spec.fields):
            raise ValueError(f"partition spec {spec.spec_id} has a field without a name")
    transforms = [field.transform for spec in metadata.partition_specs for field in spec.fields]
    transforms += [field.transform for order in metadata.sort_orders for field in order.fields]
    for transform in transforms:
        number = _number(transform)
        if number is not None and not 0 < number < 1 << 31:
            raise ValueError(f"the number of the transform {transform} is no positive 32-bit integer")


def _number(transform: Transform[Any, Any]) -> int | None:
    match transform:
        case BucketTransform():
            return transform.num_buckets
        case TruncateTransform():
            return transform.width
    return None


PARSED = re.compile(
    r"boolean|int|long|float|double|date|time|timestamp(tz)?(_ns)?|string|uuid|binary|unknown"
    r"|fixed\s*\[.*\]|decimal\s*\(.*\)"
)
STAND_IN = str(UnknownType())


def replace_unknown_types(metadata: Any) -> dict[int, str]:
    """Replaces them with `unknown`, in place, in every schema of a parsed metadata.json. Returns field id -> type.

    A struct, list or map with an initial default counts as such a type: PyIceberg parses defaults of primitives alone.
    Values that are not schemas stay unchanged; the parser rejects them.
    """
    schemas = metadata.get("schemas") if isinstance(metadata, dict) else None
    known = schemas if isinstance(schemas, list) else []
    return dict(found for schema in known for found in _of_type(schema))


def _of_type(kind: Any) -> Iterator[tuple[int, str]]:
    if not isinstance(kind, dict):
        return
    fields = kind.get("fields")
    for field in fields if isinstance(fields, list) else []:
        yield from _of_child(field, "type", "id")
    yield from _of_child(kind, "element", "element-id")
    yield from _of_child(kind, "value", "value-id")


def _of_child(holder: Any, name: str, id: str) -> Iterator[tuple[int, str]]:
    if not isinstance(holder, dict) or id not in holder:
        return
    kind = holder.get(name)
    if isinstance(kind, str) and not PARSED.fullmatch(kind):
        holder[name] = STAND_IN
        yield holder[id], kind
        return
    if isinstance(kind, dict):
        holder.pop("write-default", None)
        if holder.pop("initial-default", None) is not None:
            holder[name] = STAND_IN
            yield holder[id], f"{kind.get('type')} with an initial default"
            return
    yield from _of_type(kind)


IN_CATALOG = re.compile(r"^[^./\\\s]+(\.[^./\\\s]+){2,}$")
"""`catalog.namespace.table`; a namespace may have several levels."""
HINT = "version-hint.text"
METADATA_FILE = re.compile(r"^(?:v(?P<plain>\d+)|(?P<padded>\d+)-[^/]+)(?:\.gz)?\.metadata\.json(?:\.gz)?$")
"""`v3.metadata.json`, or `00003-<uuid>.metadata.json`; either may be compressed."""


def metadata_below(objects: Objects, root: str) -> tuple[str, tuple[str, ...]]:
    """The address of the metadata.json in `root`/metadata, and notes on how it was chosen. Raises Problem."""
    folder = root.rstrip("/")
    folder = folder if folder.endswith("/metadata") else f"{folder}/metadata"
    there = _metadata_files(objects, folder)
    if not there and root.endswith("/"):  # of a location with that slash, whose files are at `…//metadata/…`
        slashed = f"{root}/metadata"
        there = _metadata_files(objects, slashed)
        folder = slashed if there else folder
    if not there:
        raise Problem(
            f"{root} is no Iceberg table: {folder} holds no metadata.json; name a table's folder or metadata.json"
        )
    newest = max(there, key=lambda name: (there[name], name))
    hint = _hint(objects, f"{folder}/{HINT}")
    if hint is None:
        note = (
            f"{newest} is taken, the newest of {len(there)}: there is no {HINT}, and a catalog may know another; "
            "name the metadata.json, or the table by its catalog"
        )
        return f"{folder}/{newest}", ((note,) if len(there) > 1 else ())
    hinted = [name for name, version in there.items() if name == hint or str(version) == hint.removeprefix("v")]
    if not hinted:
        note = f"{HINT} names version {hint[:40]!r}, which is not there; {newest} is taken, the newest"
        return f"{folder}/{newest}", (note,)
    [chosen, *_] = sorted(hinted, key=lambda name: (not name.startswith("v"), name))  # Hadoop's, as the hint is
    newer = (f"{HINT} names {chosen}, and {newest} is newer",) if there[newest] > there[chosen] else ()
    return f"{folder}/{chosen}", newer


def newest_in(objects: Objects, folder: str) -> list[str]:
    """The names of the metadata.json files in the folder, the highest version first. Raises Unreachable."""
    there = _metadata_files(objects, folder)
    return sorted(there, key=lambda name: (there[name], name), reverse=True)


def _metadata_files(objects: Objects, folder: str) -> dict[str, int]:
    """File name -> version of every metadata.json in the folder."""
    try:
        infos = objects.filesystem.get_file_info(fs.FileSelector(objects.path(folder), allow_not_found=True))
    except (OSError, pa.ArrowException) as error:
        raise Unreachable(f"{folder} cannot be listed: {first_line(error)}") from error
    found = {info.base_name: METADATA_FILE.match(info.base_name) for info in infos if info.type == fs.FileType.File}
    return {name: int(match["plain"] or match["padded"]) for name, match in found.items() if match}


def _hint(objects: Objects, address: str) -> str | None:
    """The version that the hint names; None without one."""
    try:
        with objects.open(address) as stream:
            text: bytes = stream.read(1024)
    except FileNotFoundError:
        return None
    except (OSError, pa.ArrowException) as error:
        raise Unreachable(f"{address} cannot be read: {first_line(error)}") from error
    return text.decode("utf-8", "replace").strip()
