"""A JVM on a given class path, driven from Python by Py4J, with a class-load order that is the same for every table."""

from __future__ import annotations

import logging
import os
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from functools import reduce
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from py4j.java_gateway import GatewayParameters, JavaGateway, find_jar_path

from xtable.settings import UTC, in_zone
from xtable_audit.model.problem import Problem, last_line

# What Spark 3.4 and Hudi reach into on Java 17 (Spark's own list, JavaModuleOptions).
_REACHED_INTO = (
    "java.base/java.lang",
    "java.base/java.lang.invoke",
    "java.base/java.lang.reflect",
    "java.base/java.io",
    "java.base/java.net",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/sun.nio.ch",
    "java.base/sun.nio.cs",
    "java.base/sun.security.action",
    "java.base/sun.util.calendar",
)
OPENED = tuple(f"--add-opens={package}=ALL-UNNAMED" for package in _REACHED_INTO)
"""XTable on Java 17 needs these: without them the Spark that it starts for a Delta source fails at once."""
# Py4J logs a traceback for every failure that it also raises; the code that catches it reports it.
logging.getLogger("py4j.java_gateway").setLevel(logging.CRITICAL)

OPTIONS = (
    "-Xmx2g",
    "-Dfile.encoding=UTF-8",
    # It is short-lived, so start-up counts (first sync on S3 4.3 s against 8.4 s with the optimising compiler).
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    # Hudi measures objects with jol when it reads the metadata table, and jol would start two more JVMs to look at this
    # one: 5 s, for an estimate of sizes.
    "-Djol.skipHotspotSAAttach=true",
    # Else a plan of several manifests hands them to threads, and asks every 10 ms whether these have found a file.
    "-Diceberg.scan.plan-in-worker-pool=false",
    # For a Delta source XTable starts a Spark of its own, which would listen on every address and show a web page.
    "-Dspark.ui.enabled=false",
    "-Dspark.driver.host=127.0.0.1",
    "-Dspark.driver.bindAddress=127.0.0.1",
)


class Jvm:
    """A running JVM. `java` names its packages: `jvm.java.java.util.Properties()`."""

    def __init__(
        self, home: Path, jars: Sequence[Path], console: Path, options: Sequence[str] = (), zone: str = UTC
    ) -> None:
        """Starts it. `console` takes what it prints. Raises Problem with its last output if it does not start.

        Raises Problem, too, for a `zone` that this Java does not know: it would silently run in GMT.
        """
        console.parent.mkdir(parents=True, exist_ok=True)
        self._gateway: JavaGateway | None = None
        self._arguments = _argument_file([Path(find_jar_path()), *jars], [*OPTIONS, in_zone(zone), *options])
        with console.open("ab") as output:
            self.process = subprocess.Popen(
                [
                    str(home / "bin" / "java"),
                    f"@{self._arguments}",
                    "py4j.GatewayServer",
                    "--die-on-broken-pipe",
                    "--enable-auth",
                    "0",
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1"},
                process_group=0,
            )
        stdout = self._stdout
        port, token = stdout.readline().strip(), stdout.readline().strip()
        if not token:
            self.kill()
            words = last_line(console.read_text(errors="replace"))
            raise Problem(f"The JVM of {home} did not start: {words} (all of it in {console}).")
        parameters = GatewayParameters(port=int(port), auth_token=token.decode(), auto_convert=True)
        self._gateway = JavaGateway(gateway_parameters=parameters)
        self.java: Any = self._gateway.jvm
        if self.java.java.util.TimeZone.getDefault().getID() != zone:
            self.stop()
            raise Problem(f"--zone {zone!r}: the Java of {home} does not know this time zone.")

    def has(self, name: str) -> bool:
        """Whether a class, by its name with dots or slashes, is on the class path."""
        return self.java.java.lang.ClassLoader.getSystemResource(f"{name.replace('.', '/')}.class") is not None

    def array(self, of: str, items: Sequence[Any]) -> Any:
        """A Java array of the class of that name: `array("java.lang.String", words)` is a `String[]`."""
        assert self._gateway is not None
        made = self._gateway.new_array(reduce(getattr, of.split("."), self.java), len(items))
        for place, item in enumerate(items):
            made[place] = item
        return made

    @property
    def _stdout(self) -> IO[bytes]:
        assert self.process.stdout is not None
        return self.process.stdout

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def stop(self) -> None:
        """Ends the JVM cleanly; kills it if it does not exit within ten seconds. May be called twice."""
        self._let_objects_go()
        if self.process.stdin is not None and not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self._clean_up()

    def kill(self) -> None:
        """Ends the JVM at once; a call that waits in it, in another thread, fails with Py4J's network error."""
        self._let_objects_go()
        self.process.kill()
        self._clean_up()

    def _let_objects_go(self) -> None:
        """Else each Java object that Python still holds would ask the ending JVM to drop it when it is collected."""
        if self._gateway is not None:
            self._gateway._gateway_client.is_connected = False

    def _clean_up(self) -> None:
        if self._gateway is not None:
            self._gateway.close()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        self._arguments.unlink(missing_ok=True)

    def __enter__(self) -> Jvm:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _argument_file(jars: Sequence[Path], options: Sequence[str]) -> Path:
    """Java's own @file: three hundred jars under a long home would outgrow what one argument may hold."""
    lines = [*OPENED, *options, "-classpath", os.pathsep.join(str(jar) for jar in jars)]
    descriptor, name = tempfile.mkstemp(prefix="xtable-audit-", suffix=".args")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.writelines('"{}"\n'.format(line.replace("\\", "\\\\").replace('"', '\\"')) for line in lines)
    return Path(name)


MODELS = tuple(
    f"org.apache.hudi.avro.model.{model}"
    for model in (
        "HoodieCleanPartitionMetadata",
        "HoodieRollbackPartitionMetadata",
        "HoodieInstantInfo",
        "HoodieRollbackMetadata",
        "HoodieRestoreMetadata",
        "HoodieSliceInfo",
        "HoodieClusteringGroup",
        "HoodieClusteringStrategy",
        "HoodieClusteringPlan",
        "HoodieRequestedReplaceMetadata",
        "HoodieCompactionPlan",
        "HoodieCompactionOperation",
    )
)
"""In an order in which each finds its dependencies loaded."""


def preload(jvm: Jvm, classes: Iterable[str]) -> tuple[str, ...]:
    """Loads those of the classes that are on the JVM's class path, in order; these are returned."""
    found = tuple(name for name in classes if jvm.has(name))  # another release of Hudi may have other models
    for name in found:
        jvm.java.java.lang.Class.forName(name)
    return found
