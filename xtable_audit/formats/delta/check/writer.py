"""Who wrote a Delta table, by its configuration and the `commitInfo` of its commits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from xtable_audit.formats.check_support import Authors
from xtable_audit.formats.delta.table import delta_of
from xtable_audit.formats.writer import XTABLE, MetadataWriter
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import PROPERTY, source_format

ENGINE = "engineInfo"
"""What names the engine of a commit: `Apache-Spark/3.5.9 Delta-Lake/3.2.1`, `delta-rs:py-1.6.6`, `Kernel-4.0.0/…`."""
PARTS = re.compile(r"(?P<name>[A-Za-z][A-Za-z _-]*?)[-/: ](?:py-|v)?(?P<version>\d[\w.+-]*)")
NAMES = {"Apache-Spark": "Spark", "Kernel": "Delta Kernel", "Databricks-Runtime": "Databricks"}
KERNEL = "Kernel-"
OPERATION, SYNC = "operationParameters", "xtable-delta-sync"
"""What XTable's commits have by Delta Standalone, whose `engineInfo` is Spark's. By Delta Kernel, that names XTable."""
UNKNOWN = MetadataWriter(because="nothing in the log says what wrote it")
NAMELESS, BY_STANDALONE, BY_KERNEL = ("0.2.0",), ("0.3.0", "0.4.0"), ("0.4.0",)
"""Releases of XTable whose property does not name the source's format, and the others, by the library that commits."""
NEWEST = "0.4.0"


def writer_of(stored: StoredMetrics) -> MetadataWriter:
    """Who wrote the judged version, or translated the table."""
    table = delta_of(stored)
    content = table.metadata.settings.get(PROPERTY, "")
    engine = _engine(table.log.commit_info or {})
    if content:
        source, by_kernel = source_format(content), engine.startswith(KERNEL)
        releases = BY_KERNEL if by_kernel else BY_STANDALONE if source else NAMELESS
        version = f"{releases[0]} or later" if NEWEST in releases else " or ".join(releases)
        because = f"the table's configuration holds {PROPERTY}"
        return MetadataWriter(XTABLE, version, releases, source, because, "Delta Kernel" if by_kernel else "")
    name, version = named_in(engine)
    return MetadataWriter(name, version, because=f"the {ENGINE} of the version names it") if name else UNKNOWN


def named_in(engine: str) -> tuple[str, str]:
    """Name and version of an engine, by its `engineInfo`; both "" if it says none."""
    found = PARTS.match(engine)
    if found is None:
        return engine.strip(), ""
    return NAMES.get(found["name"], found["name"]), found["version"]


def author_of(commit: Mapping[str, Any]) -> str:
    """Who made a commit, by its `commitInfo`; "" if it does not say it."""
    engine = _engine(commit)
    is_xtables = XTABLE in engine or SYNC in str(commit.get(OPERATION, ""))
    return XTABLE if is_xtables else named_in(engine)[0]


def _engine(commit: Mapping[str, Any]) -> str:
    found = commit.get(ENGINE)
    return found if isinstance(found, str) else ""


def authors(stored: StoredMetrics, paths: frozenset[str]) -> Authors:
    """Who added these files, by the commits that did; of none, who made the commits that are read."""
    table = delta_of(stored)
    by_path = {path: table.log.commits.get(add.path, {}) for path, add in table.adds.items() if path in paths}
    names = frozenset(author_of(commit) for commit in (by_path or table.log.commits).values())
    whose = "the commits that added these files" if by_path else "the table's commits"
    return Authors(names, ENGINE, f"{ENGINE} fields", whose)
