"""When two findings are the same: what a finding says, without what changes from run to run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

GAP = "\0"
"""Stands for what was masked."""

LONGEST = 80
"""Characters of the words that an entry is known by."""

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_VOLATILE = re.compile(
    rf"""
      (?:s3a?|file|https?)://[^\s'",;)\]]+        # an object's address
    | [^\s'",;(\[]*{UUID}[^\s'",;)\]]*           # a name with a UUID in it: a data file, a manifest, a metadata.json
    | [^\s'",;(\[]+\.(?:parquet|avro|orc|metadata\.json|log\.\d\S*)
    | /(?:[\w.+=@%-]+/)+[\w.+=@%-]*               # a path
    | \d{{10,}}                                   # an instant, a snapshot id
    | @[0-9a-f]{{5,8}}\b                          # a Java object
    """,
    re.VERBOSE,
)
_ALSO = re.compile(r"; also in \d+ other columns: .*")
_VALUE = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|b'[^']*'|\b[\d.,:+TZ-]*\d[\d.,:+TZ-]*(?:e[+-]?\d+)?\b|\b(?:nan|inf|None)\b"""
)
_EXAMPLE = re.compile(r" for(?: (?!the )|$)| \(\d+ files alike")
"""Where a finding goes on to tell which file or predicate it saw it at."""
_SPAN = re.compile(r"\[[^\]]* … [^\]]*\]")


def steady(text: str) -> str:
    """The words without what another run of the same would say otherwise: paths, file names, instants."""
    return _VOLATILE.sub(GAP, text)


def examples(text: str) -> frozenset[str]:
    """The data files that it names."""
    return frozenset(name for name in _VOLATILE.findall(text) if name.endswith(".parquet"))


def example(told: Iterable[tuple[str, str]]) -> tuple[str, str]:
    """What was seen and expected at one of several places, chosen by its words: by those alone that every run says.

    In which order a manifest lists files is chance, and so are their names.
    """
    return min(told, key=lambda one: (*map(steady, one), *one))


def shape(text: str) -> str:
    """What kind of thing was seen: the words without values, counts, columns and predicates."""
    bare = steady(_SPAN.sub("[… … …]", _ALSO.sub("", text)))  # a bound of many digits is no instant
    bare = _EXAMPLE.split(bare)[0]
    return re.sub(r"\s+", " ", _VALUE.sub("#", bare)).strip()


def common_words(texts: Sequence[str]) -> str:
    """The longest run of whole words that every text holds, and that no run of the audit would say otherwise."""
    first, *others = [_ALSO.sub("", steady(text)) for text in texts]
    best = ""
    for piece in first.split(GAP):
        words = re.findall(r"\S+\s*", piece)
        for start in range(len(words)):
            for end in range(len(words), start, -1):
                tried = "".join(words[start:end]).strip()
                if len(tried) <= len(best):
                    break
                if all(tried in other for other in others):
                    best = tried
                    break
    best = _EXAMPLE.split(best)[0]
    if len(best) > LONGEST:
        best = best[:LONGEST].rpartition(" ")[0] or best[:LONGEST]
    return best if re.search(r"[^\W\d_]{3}|…", best) else ""
