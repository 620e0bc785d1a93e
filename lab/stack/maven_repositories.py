"""Maven repositories without Maven: finds artefacts on this machine, downloads them from a remote repository.

Reading order: the local Maven repository (the user's: nothing here writes to it), then the suite's own copy in the
cache, then the remote repository: Maven Central, unless the user's Maven settings name a mirror of it.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from xtable_audit.model.problem import Problem

if TYPE_CHECKING:
    import requests

Progress = Callable[[int, str], None]
"""`progress(bytes so far, name of the file that arrived)`."""

_TIMEOUT = (10, 60)  # seconds to connect, seconds of silence while reading
_CHUNK = 1 << 18


@dataclass(frozen=True)
class Repositories:
    """`installed` is the local Maven repository, `cached` the suite's own copy.

    `settings` is the user's file of Maven settings, which may be missing.
    """

    installed: Path
    cached: Path
    settings: Path

    @classmethod
    def of_this_machine(cls, cache: Path, environ: Mapping[str, str] = os.environ) -> Repositories:
        """By the environment (`MAVEN_REPO_LOCAL`, `M2_REPO`) and the user's Maven settings."""
        settings = Path.home() / ".m2" / "settings.xml"
        own = environ.get("MAVEN_REPO_LOCAL") or environ.get("M2_REPO") or _settings(settings).get("local")
        return cls(
            installed=Path(own).expanduser() if own else Path.home() / ".m2" / "repository",
            cached=cache / "maven",
            settings=settings,
        )

    @property
    def remote(self) -> str:
        """The URL of the remote repository, without a final slash."""
        if mirror := _settings(self.settings).get("mirror"):
            return mirror.rstrip("/")
        from maven_artifact.downloader import Downloader  # imported late: not needed if everything is on this machine

        return str(Downloader().resolver.base)

    def find(self, path: PurePosixPath) -> Path | None:
        """The artefact on this machine, the user's own first."""
        for base in (self.installed, self.cached):
            if (base / path).is_file():
                return base / path
        return None


def _settings(path: Path) -> dict[str, str]:
    """`local` (localRepository) and `mirror` (URL of a mirror of Central) of a Maven settings file, as far as set."""
    if not path.is_file():
        return {}
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise Problem(f"The Maven settings {path} are not XML ({error}). Correct or remove the file.") from error
    found = {"local": root.findtext("{*}localRepository") or ""}
    for mirror in root.iterfind("{*}mirrors/{*}mirror"):
        of = {part.strip() for part in (mirror.findtext("{*}mirrorOf") or "").split(",")}
        if of & {"central", "*", "external:*"} and "!central" not in of:
            found.setdefault("mirror", (mirror.findtext("{*}url") or "").strip())
    return {name: value for name, value in found.items() if value}


class NotServed(Problem):
    """The remote repository reports that it has no such artefact."""


def fetch(
    repositories: Repositories,
    path: PurePosixPath,
    session: requests.Session,
    on_bytes: Callable[[int], None] = lambda count: None,
) -> Path:
    """Downloads one artefact into the suite's own copy: complete and with the repository's SHA-1, or not at all.

    `on_bytes(count)` is called for every piece. Raises NotServed for a 404 and Problem for everything else.
    """
    import requests  # late: whoever finds all on this machine needs no network

    url = f"{repositories.remote}/{path}"
    target = repositories.cached / path
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file, _get(session, url) as response:
            digest = hashlib.sha1(usedforsecurity=False)
            for chunk in response.iter_content(_CHUNK):
                file.write(chunk)
                digest.update(chunk)
                on_bytes(len(chunk))
            file.flush()
            os.fsync(file.fileno())
        with _get(session, f"{url}.sha1") as stated:
            expected = (stated.text.split() or [""])[0].lower()
        if digest.hexdigest() != expected:
            raise Problem(f"{url} arrived damaged (SHA-1 {digest.hexdigest()}, not {expected}). Run again.")
        os.replace(temporary, target)
    except (requests.RequestException, OSError) as error:
        raise Problem(f"{url} could not be downloaded ({_short(error)}). Check the network and run again.") from error
    finally:
        Path(temporary).unlink(missing_ok=True)
    return target


def size_of(session: requests.Session, url: str) -> int:
    """Bytes of an artefact, 0 where the repository does not say. Raises NotServed for a 404, Problem for no answer."""
    import requests  # late, as in `fetch`

    try:
        answer = session.head(url, timeout=20, allow_redirects=True, headers={"Accept-Encoding": "identity"})
    except requests.RequestException as error:
        raise Problem(f"{url} cannot be reached ({type(error).__name__}). Check the network and run again.") from error
    if answer.status_code == 404:
        raise NotServed(f"{url} is not there. Install the artefact into the local Maven repository.")
    return int(answer.headers.get("Content-Length", 0)) if answer.ok else 0


def _get(session: requests.Session, url: str) -> requests.Response:
    response = session.get(url, stream=True, timeout=_TIMEOUT, headers={"Accept-Encoding": "identity"})
    if response.ok:
        return response
    response.close()
    if response.status_code == 404:
        raise NotServed(f"{url} is not there. Install the artefact into the local Maven repository, or choose another.")
    raise Problem(f"{url} returned HTTP {response.status_code}. Check the repository and run again.")


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:160]}"


def serves(repositories: Repositories, path: PurePosixPath, seconds: float = 4) -> bool:
    """Whether the remote repository has that artefact; False when it does not answer in time."""
    import requests  # late, as in `fetch`

    try:
        answer = requests.head(f"{repositories.remote}/{path}", timeout=seconds, allow_redirects=True)
    except requests.RequestException:
        return False
    return answer.status_code == 200


def check_jar(path: Path) -> None:
    """Raises Problem for a jar that is truncated or does not match the `.sha1` that Maven writes beside it."""
    stated = path.with_name(path.name + ".sha1")
    whole = zipfile.is_zipfile(path)
    if whole and stated.is_file() and (words := stated.read_text(errors="replace").split()):
        with path.open("rb") as file:
            whole = hashlib.file_digest(file, "sha1").hexdigest() == words[0].lower()
    if not whole:
        raise Problem(f"{path} is damaged or cut off. Delete it and run again.")
