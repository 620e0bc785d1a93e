"""Replays what real XTable releases wrote: packs and unpacks it, checks it, and puts it back where they wrote it."""

from __future__ import annotations

import hashlib
import json
import lzma
import tarfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.stack.cache import Cache, key_of
from lab.stack.jars import Unresolvable
from lab.stack.project import ROOT
from lab.stack.versions import releases
from lab.store import objects
from lab.store.address import Addresses, Workspace, prefix_of
from lab.store.disk import METADATA, Disk
from xtable.writer import Way, ways
from xtable_audit.model.problem import Problem

SUFFIX = ".tar.xz"


def pack(folder: Path, archive: Path) -> None:
    """Writes every file below `folder`, without owners and times, in the order of their names."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    unfinished = archive.with_name(f".{archive.name}.new")
    with tarfile.open(unfinished, "w:xz", format=tarfile.PAX_FORMAT) as packed:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            info = tarfile.TarInfo(path.relative_to(folder).as_posix())
            info.size = path.stat().st_size
            with path.open("rb") as content:
                packed.addfile(info, content)
    unfinished.replace(archive)


def unpacked(archives: Path, cache: Cache, *names: str) -> Path:
    """A folder with each `<name>.tar.xz` of `archives`, or those of these names alone, unpacked under `<name>/`.

    Raises Problem for a broken one.
    """
    found = [path for path in sorted(archives.glob(f"*{SUFFIX}")) if not names or path.name[: -len(SUFFIX)] in names]
    if not found:
        raise Problem(f"Nothing is recorded under {archives}. Restore it with git, or `make record`.")
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in found}

    def unpack_all(folder: Path) -> None:
        for path in found:
            unpack(path, folder / path.name.removesuffix(SUFFIX))

    return cache.publish("recording", key_of(archives=digests), unpack_all)


def unpack(archive: Path, folder: Path) -> None:
    """Unpacks the archive below `folder`. Raises Problem for a broken one."""
    from lab.stack.download import DATA  # late, since it imports requests

    try:
        with lzma.open(archive) as content, tarfile.open(fileobj=content) as packed:
            packed.extraction_filter = DATA
            packed.extractall(folder)
            content.read()  # to its end, where a truncated archive fails
    except (tarfile.TarError, lzma.LZMAError, EOFError, OSError) as error:
        raise Problem(f"{archive} cannot be unpacked ({error}). Restore recordings/ with git.") from error


RECORDINGS = ROOT / "recordings"
BATTERY_RECORDINGS = RECORDINGS / "battery"
"""Archives of the same layout: `sources` and a release each."""
SOURCES = "sources"
PROVENANCE = "provenance.json"


def recordings_of(source_format: str) -> Path:
    """The same of the tables that a run has on request alone, by the value of `--source-format`: parquet, paimon."""
    return BATTERY_RECORDINGS / source_format


@dataclass(frozen=True)
class Recording:
    """The recorded tables: the sources alone, or with what one release wrote over them.

    `name` is that of its folder, `release` the one that wrote last: None for the sources alone. `datasets` are the ids
    of the tables in it. `provenance` and `sources` are the provenance files of the folder and of the sources.
    """

    root: Path
    name: str
    release: str | None
    datasets: tuple[str, ...]
    provenance: dict[str, Any]
    sources: dict[str, Any]

    @classmethod
    def open(cls, version: str | None, root: Path = RECORDINGS, since: str | None = None) -> Recording:
        """A release's recording (`0.4.0` will do), after an upgrade in place from `since`; for None the sources alone.

        Every file is checked against its checksum: a missing, changed or added one raises Problem, as does a release
        or an upgrade that was never recorded: Unresolvable.
        """
        sources = checked(root / SOURCES)
        if version is None:
            return cls(root, SOURCES, None, tuple(sources["datasets"]), sources, sources)
        way = Way.of(version, since)
        if not (root / way.name).is_dir():
            raise not_recorded(way, root)
        provenance = checked(root / way.name)
        return cls(root, way.name, way.release.version, tuple(provenance["datasets"]), provenance, sources)

    @property
    def day(self) -> str:
        """The day on which it was made, as in ISO 8601."""
        return str(self.provenance["recorded_at"])[:10]

    @property
    def sources_day(self) -> str:
        """The day on which the sources were recorded."""
        return str(self.sources["recorded_at"])[:10]

    @property
    def bucket(self) -> str:
        """The bucket that the recorded addresses name."""
        return str(self.sources["bucket"])

    def prefix(self, dataset: str) -> str:
        """Where the table belongs in the bucket."""
        self._has(dataset)
        return prefix_of(dataset)

    def beside(self, dataset: str, what: str, *, source: bool = False) -> Path:
        """A file about the table that is no part of it: `<dataset>.<what>`, of the source or of the translation."""
        return self.root / (SOURCES if source else self.name) / f"{dataset}.{what}"

    def tree(self, dataset: str) -> Path:
        """The source table as recorded."""
        self._has(dataset)
        return self.root / SOURCES / dataset

    def objects(self, dataset: str) -> Iterator[tuple[str, Path]]:
        """Key in the bucket and recorded file of every object of the table, source and metadata."""
        prefix = self.prefix(dataset)
        folders = [self.root / SOURCES / dataset]
        if self.release is not None:
            folders.append(self.root / self.name / dataset)
        for folder in folders:
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    yield f"{prefix}/{path.relative_to(folder).as_posix()}", path

    def upload(self, dataset: str, store: Workspace) -> str:
        """Puts the table into the store and returns its prefix. Raises Problem for any bucket but the recorded one."""
        self._demand_its_bucket(store)
        with ThreadPoolExecutor(objects.THREADS) as pool:
            list(pool.map(lambda one: objects.write(store, one[0], one[1].read_bytes()), self.objects(dataset)))
        return self.prefix(dataset)

    def show(self, dataset: str, disk: Disk) -> str:
        """Shows the table on the disk and returns its prefix. Raises Problem for any bucket but the recorded one."""
        self._demand_its_bucket(disk)
        prefix = self.prefix(dataset)
        disk.show(prefix, self.tree(dataset))
        if self.release is not None and (metadata := self.root / self.name / dataset / METADATA).is_dir():
            disk.show_metadata(prefix, metadata)
        return prefix

    def _demand_its_bucket(self, place: Addresses) -> None:
        if place.bucket != self.bucket:
            raise Problem(
                f"A recording can only be replayed in a bucket named {self.bucket}, whose name its metadata holds; "
                f"this one is {place.bucket}."
            )

    def _has(self, dataset: str) -> None:
        if dataset not in self.datasets:
            whose = f"XTable {self.name}" if self.release else "the sources"
            raise Problem(f"{dataset} is not in the recording of {whose}; there are: {', '.join(self.datasets)}.")


def not_recorded(way: Way, root: Path) -> Unresolvable:
    """What to raise where `root` holds other recordings."""
    recorded = ", ".join(one.name for one in recorded_ways(root)) or "none"
    return Unresolvable(
        f"There is no recording of XTable {way.name}; there is of: {recorded}. Run it live, without --recorded."
    )


def recorded_releases(root: Path = RECORDINGS) -> tuple[str, ...]:
    """The releases that have a recording, newest first."""
    return tuple(one.name for one in recorded_ways(root) if one.since is None)


def recorded_ways(root: Path = RECORDINGS) -> tuple[Way, ...]:
    """Everything that has a recording: releases, newest first, then the upgrades in place between them."""
    return tuple(one for one in ways(releases()) if (root / one.name / PROVENANCE).is_file())


def newest_recording(root: Path = RECORDINGS) -> str:
    """The newest recorded release. Raises Problem where nothing is recorded."""
    for version in recorded_releases(root):
        return version
    raise Problem(f"Nothing is recorded under {root}. `make record` makes recordings where an XTable release resolves.")


def checksums(folder: Path) -> dict[str, str]:
    """SHA-256 of every file under a folder but its provenance, by relative path."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != PROVENANCE)
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def checked(folder: Path) -> dict[str, Any]:
    """The provenance of a recording's folder, if every file is what it says. Raises Problem naming the first that is
    not.
    """
    try:
        provenance: dict[str, Any] = json.loads((folder / PROVENANCE).read_text(encoding="utf-8"))
        noted: dict[str, str] = provenance["checksums"]
    except (OSError, ValueError, KeyError) as error:
        raise Problem(
            f"The recording {folder} has no readable {PROVENANCE} ({type(error).__name__}). Restore it with git."
        ) from error
    found = checksums(folder)
    for path in sorted(noted.keys() | found.keys()):
        if noted.get(path) != found.get(path):
            state = "missing" if path not in found else "not part of the recording" if path not in noted else "changed"
            raise Problem(f"Recorded file {folder / path} is {state}. Restore recordings/ with git, or `make record`.")
    return provenance
