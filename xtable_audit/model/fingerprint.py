"""Compares findings by their text, without the parts that change from run to run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

GAP = "\0"
"""Placeholder for masked text."""

LONGEST = 80
"""Maximum length of the common words, in characters."""

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
"""Start of the part of a finding that names one example file or predicate."""
_SPAN = re.compile(r"\[[^\]]* … [^\]]*\]")


def steady(text: str) -> str:
    """The text with a GAP for everything that changes between runs: paths, file names, instants."""
    return _VOLATILE.sub(GAP, text)


def examples(text: str) -> frozenset[str]:
    """The data files that the text names."""
    return frozenset(name for name in _VOLATILE.findall(text) if name.endswith(".parquet"))


def example(pairs: Iterable[tuple[str, str]]) -> tuple[str, str]:
    """The pair (seen, expected) that represents several, chosen by the text that is stable between runs.

    File names and their order in a manifest vary between runs.
    """
    return min(pairs, key=lambda one: (*map(steady, one), *one))


def shape(text: str) -> str:
    """The kind of deviation: the text without values, counts, other columns and example files or predicates."""
    bare = steady(_SPAN.sub("[… … …]", _ALSO.sub("", text)))  # mask bounds first: many digits look like an instant
    bare = _EXAMPLE.split(bare)[0]
    return re.sub(r"\s+", " ", _VALUE.sub("#", bare)).strip()


def common_words(texts: Sequence[str]) -> str:
    """The longest run of whole words that all texts share and that does not change between runs, at most LONGEST long.

    Empty if the shared words hold neither three letters in a row nor an ellipsis.
    """
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
