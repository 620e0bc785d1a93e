"""The Spark session of this process, with the judge's own code on its executors."""

from __future__ import annotations

import atexit
import os
import sys
import zipfile
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from xtable_audit.model.problem import Problem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PACKAGE = "xtable_audit"


def session(master: str | None) -> SparkSession:
    """The session of this process with the judge's code on its executors. `master` is None for the one that is set,
    by `spark-submit` or a notebook. Raises Problem without PySpark, or if no session starts.
    """
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise Problem("--scanner spark needs PySpark: install xtable-audit[spark]") from error
    builder = SparkSession.builder.appName("xtable-audit").config("spark.ui.showConsoleProgress", "false")
    if master and master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else the first python3 of the PATH
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = builder.config("spark.ui.enabled", "false")
    try:
        spark = (builder.master(master) if master else builder).getOrCreate()
    except (PySparkException, RuntimeError, OSError) as error:
        raise Problem(f"no Spark session starts: {str(error).splitlines()[0]}") from error
    folder = TemporaryDirectory(prefix="xtable-audit-")
    atexit.register(folder.cleanup)  # executors fetch it when they start
    spark.sparkContext.addPyFile(str(_archive(Path(folder.name))))
    return spark


def _archive(folder: Path) -> Path:
    """This package as a zip, which Python imports as it is."""
    path = folder / f"{PACKAGE}.zip"
    with zipfile.ZipFile(path, "w") as archive, resources.as_file(resources.files(PACKAGE)) as root:
        for file in sorted(root.rglob("*.py")):
            archive.write(file, f"{PACKAGE}/{file.relative_to(root)}")
    return path
