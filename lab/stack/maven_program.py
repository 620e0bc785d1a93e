"""Apache Maven, which lists class paths: the user's own where it is new enough, else one that comes as Java does.

It reads the user's settings, with their mirrors and repositories. From 3.9.2 on it takes a second local repository that
it only reads (`maven.repo.local.tail`): the user's. What it downloads goes into the suite's own copy.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path, PurePosixPath
from threading import Timer
from urllib.parse import urlsplit
from urllib.request import getproxies

from lab.stack.cache import Cache, key_of
from lab.stack.java import find_java
from lab.stack.maven_repositories import Progress, Repositories, fetch
from lab.stack.versions import maven, stack
from xtable_audit.model.problem import Problem

_OLDEST = (3, 9, 2)
_TO_LIST = 1800
"""Seconds in which Maven downloads what a class path lacks: some 300 MB."""
_TO_GET = 120
"""Seconds to find one pom, the first time with Maven's plugin."""
_LITTLE_WORK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_ARRIVED = re.compile(r"Downloaded from \S+: \S+/(\S+) \(([\d.]+) ([kMG]?)B")
_BYTES = {"": 1, "k": 1_000, "M": 1_000_000, "G": 1_000_000_000}


def find_maven(repositories: Repositories, cache: Cache) -> Path:
    """The program `mvn`: on PATH, else from the remote repository. Raises Problem if neither has one."""
    on_path = shutil.which("mvn")
    if on_path and _version_of(on_path) >= _OLDEST:
        return Path(on_path)
    name = f"apache-maven-{maven().version}"
    path = PurePosixPath("org/apache/maven/apache-maven", maven().version, f"{name}-bin.zip")

    def unpack(folder: Path) -> None:
        import requests  # imported late: a warm start needs no network

        found = repositories.find(path)
        if found is None:
            with requests.Session() as session:
                found = fetch(repositories, path, session)
        with zipfile.ZipFile(found) as archive:
            archive.extractall(folder)
        (folder / name / "bin" / "mvn").chmod(0o755)

    try:
        return cache.publish("apache-maven", key_of(version=maven().version), unpack) / name / "bin" / "mvn"
    except Problem as problem:
        oldest = ".".join(map(str, _OLDEST))
        raise Problem(f"{problem} Or install Maven {oldest} or newer, so that `mvn` is on PATH.") from problem


def class_path(repositories: Repositories, cache: Cache, pom: str, progress: Progress | None = None) -> list[Path]:
    """The jars that a pom needs when it runs, in Maven's order. Raises Problem with Maven's first words of error."""
    with tempfile.TemporaryDirectory(prefix="xtable-audit-") as folder:
        project, listed = Path(folder) / "pom.xml", Path(folder) / "class-path"
        project.write_text(pom, encoding="utf-8")
        options = [f"-f={project}", "-DincludeScope=runtime", f"-Dmdep.outputFile={listed}"]
        _run(repositories, cache, "build-classpath", options, _TO_LIST, progress)
        return [Path(jar) for jar in listed.read_text(encoding="utf-8").strip().split(os.pathsep)]


def get_pom(repositories: Repositories, cache: Cache, coordinate: str) -> None:
    """Brings a pom (`group:artifact:version`) onto this machine. Raises Problem if Maven finds none."""
    options = [f"-Dartifact={coordinate}:pom", "-Dtransitive=false"]
    _run(repositories, cache, "get", options, _TO_GET)


def _run(
    repositories: Repositories,
    cache: Cache,
    goal: str,
    options: list[str],
    seconds: int,
    progress: Progress | None = None,
) -> None:
    program = find_maven(repositories, cache)
    command = [str(program), "-B", "-U", "--strict-checksums", "-Dstyle.color=never"]
    command += [f"-s={repositories.settings}"] if repositories.settings.is_file() else []
    command += [
        f"-Dmaven.repo.local={repositories.cached}",
        f"-Dmaven.repo.local.tail={repositories.installed}",
        "-Dmaven.repo.local.tail.ignoreAvailability=true",  # whichever repository it came from
    ]
    options_of_java = " ".join([_LITTLE_WORK, *_proxies(), os.environ.get("MAVEN_OPTS", "")])  # the user's own win
    environment = {**os.environ, "JAVA_HOME": str(find_java(stack().java, cache)), "MAVEN_OPTS": options_of_java}
    printed: list[str] = []
    arrived = 0
    with subprocess.Popen(
        [*command, f"{maven().dependency_plugin}:{goal}", *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environment,
        cwd=tempfile.gettempdir(),  # no project's .mvn folder counts
    ) as running:
        limit = Timer(seconds, running.kill)
        limit.start()
        try:
            for line in running.stdout or ():
                printed.append(line)
                if progress and (one := _ARRIVED.search(line)):
                    arrived += round(float(one[2]) * _BYTES[one[3]])
                    progress(arrived, one[1])
        except BaseException:
            running.kill()
            raise
        finally:
            limit.cancel()
    if running.returncode:
        ended = f"exit code {running.returncode}" if running.returncode > 0 else f"not done after {seconds} s"
        raise Problem(f"Maven: {_error(printed) or ended}.")


def _proxies() -> list[str]:
    """The proxies of the environment (`HTTPS_PROXY`, `NO_PROXY`), as Java takes them: it does not look there."""
    asked, options = getproxies(), list[str]()
    for scheme in ("http", "https"):
        if scheme in asked:
            proxy = urlsplit(asked[scheme])
            options += [f"-D{scheme}.proxyHost={proxy.hostname}", f"-D{scheme}.proxyPort={proxy.port or 80}"]
    if options and "no" in asked:
        spared = (host.strip() for host in asked["no"].split(","))
        hosts = (f"*{host}" if host.startswith(".") else host for host in spared)
        options.append(f"-Dhttp.nonProxyHosts={'|'.join(hosts)}")
    return [*options, "-Daether.connector.http.useSystemProperties=true"] if options else []


def _error(printed: list[str]) -> str:
    """What Maven calls the error, on one line: the first cause, which it indents or calls fatal, if it names one."""
    causes = (line for line in printed if line.startswith(("[FATAL] ", "[ERROR] \t")))
    first = next(causes, next((line for line in printed if line.startswith("[ERROR] ")), ""))
    return first.partition("] ")[2].partition(" -> [Help")[0].strip(" .\t\n")


def _version_of(program: str) -> tuple[int, ...]:
    """(3, 9, 16), by what `mvn --version` prints first; () if it does not run."""
    try:
        said = subprocess.run(
            [program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = re.search(r"Apache Maven (\d+)\.(\d+)\.(\d+)", said)
    return tuple(map(int, found.groups())) if found else ()
