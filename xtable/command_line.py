"""A bundled XTable jar as a shell runs it: what the suite's warm JVM does for speed is left out.

No class is loaded beforehand (apache/incubator-xtable #466), no table is translated before another, Java compiles and
collects by its own defaults. A finding that shows here is none of the harness's making.
"""

from __future__ import annotations

import os
import subprocess

from xtable.bundled import MAIN, Bundle
from xtable.jvm import OPENED, Jvm
from xtable.sync import SyncRequest, TooLate
from xtable.zone import UTC, in_zone


class CommandLine(Bundle):
    """Every sync is `java -cp JAR org.apache.xtable.utilities.RunSync …` in a JVM of its own."""

    def _make_ready(self) -> None:
        """Nothing is kept warm. A JVM without XTable tries a zone: it fails if this Java does not know it."""
        if self._zone != UTC:
            Jvm(self.java_home, [], self._logs / "console.log", zone=self._zone).stop()

    def _run_sync(self, request: SyncRequest, timeout: float) -> tuple[str, str]:
        java = str(self.java_home / "bin" / "java")
        self._logs.mkdir(parents=True, exist_ok=True)
        with self.arguments(request) as arguments, self._log.open("ab") as log:
            try:
                done = subprocess.run(
                    [java, *OPENED, in_zone(self._zone), "-cp", str(self.jars[0]), MAIN, *arguments],
                    env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1"},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    timeout=timeout,
                )
            except subprocess.TimeoutExpired:
                raise TooLate from None
        return "", f"the command ended with exit code {done.returncode}" if done.returncode else self._quiet

    def _failure_in(self, result: str, log: str) -> str:
        """Its own words, which say more than its exit code: that is 0 after most failures."""
        return super()._failure_in(result, log) or result
