"""The settings XTable runs with: its time zone, Hadoop's as its own defaults file has them, and the log's."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from zoneinfo import available_timezones

from lab.stack.cache import write_atomically
from lab.store.tables import Tables
from xtable_audit.model.problem import Problem

# The time zone in which XTable runs. A user's XTable takes its machine's; the suite's is the same everywhere.

UTC = "UTC"
"""The default, in which every recording was made."""


def check_zone(name: str) -> str:
    """The name, if the IANA database has it. Raises Problem otherwise: Java would silently run in GMT."""
    if name != UTC and name not in (zones := available_timezones()):
        close = get_close_matches(name, zones)
        instead = f"did you mean {' or '.join(close)}?" if close else "name one such as Asia/Kolkata."
        raise Problem(f"--zone {name!r}: there is no such time zone; {instead}")
    return name


def words_of(name: str) -> str:
    """What a reader of the verdict must know of another zone than UTC; "" for UTC."""
    return f"XTable runs in the time zone {name}; the tables are written in {UTC}." if name != UTC else ""


def in_zone(name: str) -> str:
    """Java's option."""
    return f"-Duser.timezone={name}"


# The same choices as in the defaults that the official bundle carries.
_DEFAULTS = {
    "fs.file.impl": "org.apache.hadoop.fs.LocalFileSystem",
    "fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",
    "fs.s3a.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",
    "parquet.avro.write-old-list-structure": "false",
    "spark.master": "local[2]",
}
# Give up within seconds on a store that does not answer; Hadoop's default is minutes.
_PATIENCE = {"fs.s3a.attempts.maximum": "3", "fs.s3a.retry.limit": "3"}
# For the Spark that XTable starts for Delta sources: it must not open a web server beside the run.
_SPARK = {"spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}

_LOG4J = """\
status = warn
appender.file.type = File
appender.file.name = file
appender.file.fileName = {log}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{yyyy-MM-dd HH:mm:ss.SSS}} %-5p %c - %m%n
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
logger.xtable.name = org.apache.xtable
logger.xtable.level = info
"""


def hadoop_settings(tables: Tables | None) -> dict[str, str]:
    """Hadoop settings of a sync; `tables` is None for tables on local disk."""
    return _DEFAULTS | _PATIENCE | _SPARK | dict(tables.hadoop() if tables else {})


def write_log4j(folder: Path, log: Path) -> Path:
    """A Log4j 2 configuration in `folder` that writes to `log`, line by line: warnings, and XTable's own progress."""
    configuration = folder / "log4j2.properties"
    write_atomically(configuration, _LOG4J.format(log=log.resolve().as_posix()).encode())
    return configuration
