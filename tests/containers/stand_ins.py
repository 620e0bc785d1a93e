"""Stand-ins for images that a registry has: the real programs, from package registries, in the real images' layout.

They have the real names, in the tests' own engine alone. They prove this suite's side (requests, network, files, health
checks, waiting, the end) and the programs inside, and nothing of somebody's image.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import docker
from docker.errors import BuildError, ImageNotFound

from lab.engines.postgres_process import from_pip
from lab.engines.trino.install import install_trino
from lab.stack.cache import Cache, key_of
from lab.stack.download import fetch_reporting
from lab.stack.java import find_java
from lab.stack.maven_repositories import Repositories
from lab.stack.versions import nessie_versions, postgres_versions, trino
from lab.store.minio import IMAGE as MINIO
from tests.emulators.programs import GO, installed
from xtable_audit.model.problem import Problem

IMAGES = Path(__file__).with_name("images")
LABEL = "xtable-audit.stand-in"
BASE = "stand-in/base"
DEBIAN, PACKAGES = "bookworm", ("ca-certificates", "python3-venv")
PATH = "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
BASE_KEY = key_of(debian=DEBIAN, packages=PACKAGES, path=PATH)
NOT_OF_A_JDK = {"jmods", "legal", "man", "demo", "src.zip", "ct.sym"}
MODULES = {
    "minio": "github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c",
    "mc": "github.com/minio/mc@v0.0.0-20250313080218-cf909e1063a9",
}
"""MinIO's server, as `versions.toml` has it for the emulators, and its client."""
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
Files = Mapping[str, Path]
"""Path in the build's context -> a file or folder of this machine."""


@dataclass(frozen=True)
class StandIn:
    """`of` is the real image's name; `files()` is what its Dockerfile copies, beside the files of `folder`."""

    of: str
    folder: str
    files: Callable[[Cache], Files] = lambda cache: {}
    made_of: tuple[object, ...] = field(default=())
    """Versions that the folder's own files do not name."""

    @property
    def key(self) -> str:
        own = {
            str(path.relative_to(IMAGES)): (path.stat().st_mode, path.read_text())
            for path in sorted((IMAGES / self.folder).rglob("*"))
            if path.is_file()
        }
        return key_of(own=own, made_of=repr(self.made_of), base=BASE_KEY)


def _minio(cache: Cache) -> Files:
    return {f"bin/{name}": installed(name, GO, module) for name, module in MODULES.items()}


def _nessie(cache: Cache) -> Files:
    wanted = nessie_versions()
    jar = PurePosixPath(wanted.jar)
    return {
        "nessie.jar": fetch_reporting(Repositories.of_this_machine(cache.root), jar, "Nessie", print),
        "jdk": find_java(wanted.java, cache),
    }


def _trino(cache: Cache) -> Files:
    wanted = trino()
    return {"trino": install_trino(wanted, cache, print), "jdk": find_java(wanted.java, cache)}


def _temurin(cache: Cache) -> Files:
    return {"jdk": find_java(17, cache), CERTIFICATES.name: CERTIFICATES}


STAND_INS = {
    one.folder: one
    for one in (
        StandIn("testcontainers/ryuk:0.8.1", "reaper"),
        StandIn(MINIO, "minio", _minio, (MODULES,)),
        StandIn(nessie_versions().image, "nessie", _nessie, (nessie_versions(),)),
        StandIn(trino().image, "trino", _trino, (trino(),)),
        StandIn(
            postgres_versions().image,
            "postgres",
            lambda cache: {"pgsql": from_pip(cache, print).parents[2]},
            (postgres_versions(),),
        ),
        StandIn("python:3.13-slim", "python", lambda cache: {CERTIFICATES.name: CERTIFICATES}),
        StandIn("eclipse-temurin:17-jdk-jammy", "temurin", _temurin),
    )
}


def have(daemon: docker.DockerClient, name: str, cache: Cache) -> str:
    """The image's name; the stand-in is made if the engine lacks it, or has one of other content. Raises Problem."""
    wanted = STAND_INS[name]
    with cache.lock("containers", "images"):
        if _key(daemon, wanted.of) == wanted.key:
            return wanted.of
        _have_base(daemon)
        with _context(IMAGES / wanted.folder, wanted.files(cache)) as context:
            try:
                daemon.images.build(
                    fileobj=context,
                    custom_context=True,
                    tag=wanted.of,
                    labels={LABEL: wanted.key},
                    rm=True,
                    forcerm=True,
                )
            except BuildError as error:
                raise Problem(f"The stand-in of {wanted.of} cannot be built: {error}") from error
    return wanted.of


def _key(daemon: docker.DockerClient, image: str) -> str | None:
    try:
        labels: dict[str, str] = daemon.images.get(image).labels
    except ImageNotFound:
        return None
    return labels.get(LABEL)


def _context(folder: Path, files: Files) -> io.BufferedRandom:
    """A build's context as a tar file; links are followed, since a distribution's JDK has links that lead outside."""
    context = tempfile.TemporaryFile()  # noqa: SIM115 - the caller reads it
    with tarfile.open(fileobj=context, mode="w", dereference=True) as tar:
        for name, path in {".": folder, **files}.items():
            if name == "jdk":
                _add_jdk(tar, path)
            else:
                tar.add(path, name, filter=_for_everybody)
    context.seek(0)
    return context


def _add_jdk(tar: tarfile.TarFile, home: Path) -> None:
    """Without what no program runs with, and without links to what another package would install."""
    for path in sorted(home.rglob("*")):
        inside = path.relative_to(home)
        if path.is_file() and not NOT_OF_A_JDK & set(inside.parts):
            tar.add(path, Path("jdk") / inside, filter=_for_everybody)


def _for_everybody(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Readable to the image's user, too, and root's, as files of an image are."""
    read = 0o555 if member.mode & 0o100 else 0o444
    return member.replace(mode=member.mode | read, uid=0, gid=0, uname="root", gname="root", deep=False)


def _have_base(daemon: docker.DockerClient) -> None:
    """A minimal Debian by debootstrap, of Debian's own packages."""
    if _key(daemon, BASE) == BASE_KEY:
        return
    with tempfile.TemporaryDirectory(prefix="stand-in-base-") as folder:
        root = Path(folder) / "root"
        words = ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", DEBIAN, str(root)]
        made = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise Problem(f"debootstrap makes no base image: {made.stdout.strip().splitlines()[-1:]}")
        for waste in ("var/cache/apt/archives", "var/lib/apt/lists", "usr/share/doc", "usr/share/locale"):
            shutil.rmtree(root / waste)
        with (Path(folder) / "root.tar").open("w+b") as archive:
            with tarfile.open(fileobj=archive, mode="w") as tar:
                tar.add(root, ".")
            archive.seek(0)
            changes = [PATH, f"LABEL {LABEL}={BASE_KEY}"]
            daemon.api.import_image_from_data(archive, repository=BASE, tag="latest", changes=changes)
