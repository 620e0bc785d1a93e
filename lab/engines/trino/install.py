"""Trino's server from Maven Central, unpacked once a machine: the core without its plugins, and the Iceberg plugin."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from lab.stack.cache import Cache, key_of
from lab.stack.download import fetch_reporting
from lab.stack.maven import NotServed, Repositories
from lab.stack.versions import Trino
from xtable_audit.model.problem import Problem

Report = Callable[[str], None]


def install_trino(wanted: Trino, cache: Cache, report: Report, repositories: Repositories | None = None) -> Path:
    """The folder that holds `lib` and `plugin/iceberg`; half a gigabyte is downloaded the first time.

    Archives that the suite downloaded are deleted once they are unpacked; the user's own stay. Raises
    Problem if they are not available.
    """
    places = repositories or Repositories.of_this_machine(cache.root)

    def build(folder: Path) -> None:
        archives = [_fetch(wanted, archive, places, report) for archive in wanted.archives]
        report(f"unpacking Trino {wanted.version}")
        for archive, unpack in zip(archives, (_unpack_server, _unpack_plugin), strict=True):
            try:
                unpack(archive, folder)
            except (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error) as error:
                raise Problem(f"{archive} is damaged or cut off ({error}). Delete it and run again.") from error
        for archive in archives:
            if archive.is_relative_to(places.cached):
                archive.unlink()

    return cache.publish("trino", key_of(archives=wanted.archives), build, {"version": wanted.version})


def artifact_path(coordinate: str) -> PurePosixPath:
    """Where a Maven repository keeps `group:artifact:version:extension`."""
    group, artifact, version, extension = coordinate.split(":")
    return PurePosixPath(*group.split("."), artifact, version, f"{artifact}-{version}.{extension}")


def _fetch(wanted: Trino, archive: str, repositories: Repositories, report: Report) -> Path:
    path = artifact_path(archive)
    which = f"Trino {wanted.version}, part {wanted.archives.index(archive) + 1} of {len(wanted.archives)}"
    try:
        return fetch_reporting(repositories, path, which, report)
    except NotServed as absent:
        raise Problem(
            f"Trino {wanted.version} cannot be downloaded: {repositories.remote}/{path} is not there. "
            "Use another repository, or a Trino that runs: --trino http://user@host:port"
        ) from absent


def _unpack_server(archive: Path, folder: Path) -> None:
    """All but the core's own plugins (event listeners, password files, …), which an audit does not need."""
    with tarfile.open(archive) as tar:
        for member in tar:
            inside = _below_top(member.name)
            if inside.parts and inside.parts[0] != "plugin":
                linked = str(_below_top(member.linkname)) if member.islnk() else member.linkname
                tar.extract(member.replace(name=str(inside), linkname=linked), folder, filter="data")


def _below_top(name: str) -> PurePosixPath:
    """`lib/a.jar` of `trino-server-core-476/lib/a.jar`."""
    return PurePosixPath(*PurePosixPath(name).parts[1:])


def _unpack_plugin(archive: Path, folder: Path) -> None:
    """The zip's one folder, `trino-iceberg-476/`, becomes `plugin/iceberg/`."""
    plugins = folder / "plugin"
    with zipfile.ZipFile(archive) as bundle:
        bundle.extractall(plugins)
    (only,) = plugins.iterdir()
    only.rename(plugins / "iceberg")
