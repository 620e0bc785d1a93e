"""What a Spark is started with that has little to do."""

from __future__ import annotations

import os
import sys

from lab.stack.project import ROOT
from lab.stack.spark import FEWER_OPTIMISATIONS


def environment() -> dict[str, str]:
    """Of a cluster and of its driver: executors import the suite's tests too."""
    given = {"SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable}
    given["JDK_JAVA_OPTIONS"] = f"{FEWER_OPTIMISATIONS} -XX:+UseSerialGC"
    return dict(os.environ) | given
