"""What a Spark is started with that has little to do."""

from __future__ import annotations

import os
import sys

from lab.stack import class_data
from lab.stack.java import find_java
from lab.stack.project import ROOT
from lab.stack.spark import FEWER_OPTIMISATIONS
from lab.stack.versions import stack


def environment() -> dict[str, str]:
    """Of a cluster and of its driver: executors import the suite's tests too."""
    given = {"SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable}
    java_home = find_java(stack().java)
    given["JAVA_HOME"] = str(java_home)
    given["JDK_JAVA_OPTIONS"] = " ".join([FEWER_OPTIMISATIONS, "-XX:+UseSerialGC", *class_data.options(java_home)])
    return dict(os.environ) | given
