"""Manifests are read before they are decoded, many at once, where a store makes each of them wait."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from xtable_audit.formats.iceberg.manifests_together import Listed
from xtable_audit.model.limits import in_rounds
from xtable_audit.model.malformed import given_up
from xtable_audit.model.objects import HELD, Objects

Group = Sequence[Listed]


def read_ahead(objects: Objects, groups: Iterable[Group]) -> Iterator[tuple[Sequence[Group], Mapping[str, bytes]]]:
    """Groups of manifests in their order, some at a time, and the content of their files by address.

    How many follows from the sizes in the list. A file that is not as the list says may be of any size: it has none,
    and who decodes it reads it. Nor has any of a disk, which makes nobody wait. Raises Malformed, Unreachable.
    """
    if objects.at_once == 1:
        yield [*groups], {}
        return
    for some in in_rounds(groups, _length_of_all, HELD):
        yield some, _contents(objects, {str(one["manifest_path"]): _length(one) for group in some for one in group})


def _length_of_all(group: Group) -> int:
    return sum(map(_length, group))


def _length(listed: Listed) -> int:
    length = listed.get("manifest_length")
    return max(length, 0) if isinstance(length, int) else 0


def _contents(objects: Objects, lengths: Mapping[str, int]) -> dict[str, bytes]:
    def content(uri: str) -> bytes:
        return objects.read(uri, 0, lengths[uri] + 1)

    read = zip(lengths, objects.each(content, [*lengths], given_up), strict=True)
    return {uri: content for uri, content in read if len(content) == lengths[uri]}
