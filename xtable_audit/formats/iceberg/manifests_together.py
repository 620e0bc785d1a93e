"""Reads many small manifests as one: a stream leaves one of a few entries for each of its commits."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from xtable_audit.formats.iceberg.avro import InflatedPart
from xtable_audit.formats.iceberg.avro_together import fit, together, whole
from xtable_audit.formats.iceberg.field_ids import OF_MANIFEST, demand_ids
from xtable_audit.formats.iceberg.manifest_header import header_of
from xtable_audit.formats.iceberg.manifests import (
    DATA,
    NO_METRICS,
    Manifests,
    manifest_of,
    manifests_in,
    read_manifest,
    refuse_outside,
)
from xtable_audit.model.interruption import interruption
from xtable_audit.model.objects import Objects

Listed = Mapping[str, Any]
MOST = 512
"""Manifests that are read together: their files are held until they are decoded."""
SMALL = 64 << 10
"""Bytes of a manifest that is read with others. A larger one takes longer than what is the same for each."""


def in_groups(listing: Sequence[Listed], most: int = MOST) -> Iterator[list[Listed]]:
    """Neighbours of one content and partition spec that are small, by what the list says of them; others alone."""
    group: list[Listed] = []
    for listed in listing:
        if group and (len(group) >= most or _key(listed) != _key(group[0])):
            yield group
            group = []
        group.append(listed)
        if not _is_small(listed.get("manifest_length")):
            *before, last = group
            if before:
                yield before
            yield [last]
            group = []
    if group:
        yield group


def _is_small(length: Any) -> bool:
    """By what the list says, which need not be so, or a number."""
    return isinstance(length, int) and 0 <= length <= SMALL


def _key(listed: Listed) -> tuple[Any, Any]:
    return listed.get("content", DATA), listed["partition_spec_id"]


@dataclass(frozen=True)
class _Read:
    listed: Listed
    content: bytes
    part: InflatedPart


def read_group(objects: Objects, group: Sequence[Listed], ids: Collection[int]) -> Iterator[Manifests]:
    """The manifests, in order. Raises Malformed, as each of them read alone."""
    if len(group) == 1:
        yield _alone(objects, group[0], None, ids)
        return
    held: list[_Read] = []
    records = size = 0
    for listed in group:
        content = objects.read(str(listed["manifest_path"]))
        part = whole(content, objects.limits)
        if part is not None:
            records, size = records + part.records + 1, size + part.size
        if held and not (part and part.schema == held[0].part.schema and fit(part.weight, records, size)):
            yield from _of(objects, held, ids)
            held = []
        if part is None:
            yield _alone(objects, listed, content, ids)
            continue
        if not held:
            records, size = part.records + 1, part.size
        held.append(_Read(listed, content, part))
    if held:
        yield from _of(objects, held, ids)


def _alone(objects: Objects, listed: Listed, content: bytes | None, ids: Collection[int]) -> Manifests:
    one = read_manifest(objects, listed, ids) if content is None else manifest_of(objects, listed, content, ids)
    return Manifests((replace(one, metrics=NO_METRICS),), one.live, one.metrics)


def _of(objects: Objects, held: Sequence[_Read], ids: Collection[int]) -> Iterator[Manifests]:
    """If something is wrong with one of them, they are read one by one, and who reads it says what."""
    try:
        table = together([one.part for one in held])
        found = manifests_in(table, [one.listed for one in held], [one.part.records for one in held], ids)
        for schema in {one.part.stored for one in held}:
            demand_ids(found.each[0].path, schema, OF_MANIFEST)
        refuse_outside(objects, found.each[0].path, "file", found.live["file_path"])
    except Exception as error:  # noqa: BLE001  # DataFusion raises bare Exceptions, also of an interrupt
        if (interrupt := interruption(error)) is not None:
            raise interrupt from None
        yield from (_alone(objects, one.listed, one.content, ids) for one in held)
        return
    each = (
        replace(one, size=len(read.content), header=header_of(read.content))
        for one, read in zip(found.each, held, strict=True)
    )
    yield replace(found, each=tuple(each))
