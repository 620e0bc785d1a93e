"""What a translator is, to the tool that runs all of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from tools.translators.sources import OwnCopy


class NotTranslated(Exception):
    """The words of a translator that does not translate a table."""


Translate = Callable[[OwnCopy], str]
"""Writes Iceberg metadata for the source and returns the location of its metadata.json. Raises Refused."""


@dataclass(frozen=True)
class MetadataTranslator:
    """Something that writes Iceberg metadata over the data files of a table of another format."""

    id: str
    """As `--only` names it."""
    words: str
    """As its users call it, in Markdown, so that its version fits behind: "`add_files` of PyIceberg"."""
    version: str
    takes: tuple[str, ...]
    """Formats of its sources: PARQUET, DELTA, PAIMON."""
    needs: tuple[str, ...]
    """Packages of Python, or coordinates in a Maven repository."""
    asked: str
    """What it is asked for, in a sentence."""
    opened: Callable[[Path], AbstractContextManager[Translate]]
    """Starts it. What it writes, beside what goes into the source's own folder, goes below the path."""
    of_caller: tuple[str, ...] = ()
    """Claims about what its caller chooses, here this tool: their failures accuse no translator."""
    folder: str = "tables"
    """The name of the folder that its source tables lie in."""
