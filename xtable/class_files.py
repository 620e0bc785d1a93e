"""Which XTable a class path is, by content: a jar built again from the same sources is the same."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable
from pathlib import Path

OWN = "xtable-"
"""How the names of XTable's own jars begin."""


def digest_of_classes(jars: Iterable[Path]) -> str:
    """A digest of a class path: names and bytes of XTable's class files, and the names of all other jars.

    Times, manifests and the order of a jar's entries differ from build to build. Other jars are releases, whose names
    have their versions.
    """
    jars = sorted(jars, key=lambda jar: jar.name)
    digest = hashlib.sha256()
    for jar in jars:
        if not jar.name.startswith(OWN):
            digest.update(f"{jar.name}\n".encode())
    for name, content in sorted(part for jar in jars if jar.name.startswith(OWN) for part in _classes(jar)):
        digest.update(f"{name} {content}\n".encode())
    return digest.hexdigest()


def _classes(jar: Path) -> list[tuple[str, str]]:
    """Name and SHA-256 of each class file."""
    with zipfile.ZipFile(jar) as opened:
        names = [name for name in opened.namelist() if name.endswith(".class")]
        return [(name, hashlib.sha256(opened.read(name)).hexdigest()) for name in names]
