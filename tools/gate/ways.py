"""Upgrades from one way in which XTable works to another, perhaps of one release."""

from __future__ import annotations

from dataclasses import dataclass

from lab.provision.plan import AFTER_SPARK
from lab.provision.targets import AFTER_STANDALONE, NO_NAME
from xtable.writer import KERNEL, STANDALONE

WRITER = "--delta-target-by"
READER = "--delta-source-by"


@dataclass(frozen=True)
class Ways:
    """What differs between the runs of such a gate: one of pytest's options."""

    option: str
    values: tuple[str, str, str]
    """What FROM, TO and the upgrade in place are given; the last also asks for such a gate."""
    words: tuple[str, str]
    """What FROM and TO are called by, beside their releases."""
    note: str
    no_jar: str
    """Why TO may not be a jar."""
    target: str = ""
    """The one target that it is about."""
    ids: tuple[str, ...] = ()
    """The ends of the ids of FROM's tables and of TO's, where they differ."""


TO_KERNEL = Ways(
    WRITER,
    ("standalone", "kernel", AFTER_STANDALONE),
    ("by Delta Standalone", "by Delta Kernel"),
    "FROM writes Delta by Delta Standalone and TO by Delta Kernel; in place, Kernel goes on over the log that "
    "Standalone began. FROM's tables have the ids of TO's here, so that each is compared with its own.",
    KERNEL.by_no_command_line,
    KERNEL.target,
    (STANDALONE.id, KERNEL.id),
)
FROM_KERNEL = Ways(
    READER,
    ("spark", "kernel", AFTER_SPARK),
    ("reading Delta by Spark", "reading Delta by Kernel"),
    "FROM reads Delta tables by Spark and TO by Delta Kernel; in place, Kernel goes on where Spark began. Tables of "
    "other formats are left out. The register speaks of the reader by Spark: TO is judged by the claims alone.",
    NO_NAME,
)
WAYS = (TO_KERNEL, FROM_KERNEL)
