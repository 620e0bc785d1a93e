"""docs/affected-battery.md: `python -m tools pages.affected`. What `affected` says of every table of the battery.

The recorded sources are read as a user's would be, with each table's own partitionSpec: for Iceberg under every release
and after every upgrade in place, for each writer of Delta under every release that has it. The register says on which
of them each finding occurs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from pathlib import Path

from packaging.version import Version
from pyarrow import fs

from lab.provision.checked_register import REGISTER, register
from lab.provision.live_or_recorded import archives_of
from lab.provision.plan import ON_REQUEST
from lab.provision.translator_registry import TRANSLATORS
from lab.stack.cache import Cache, write_atomically
from lab.stack.project import ROOT
from lab.store.address import BUCKET, TABLES, root_of
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from xtable.replay import BATTERY_RECORDINGS, SOURCES, SUFFIX, recordings_of, unpacked
from xtable.sources import XTABLE_SOURCES
from xtable.writer import HUDI, ICEBERG, ICEBERG_BY_KERNEL, KERNEL, STANDALONE, WRITERS, Writer
from xtable_audit.affected.affected import Affected, Certainty, affected
from xtable_audit.affected.releases import FIRST_KERNEL, XTABLE, XTableRelease, covered, reads
from xtable_audit.formats.configuration import Configuration, parse_spec
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.installed import source_format
from xtable_audit.formats.named_source import read_source
from xtable_audit.formats.source import SourceTable
from xtable_audit.model.objects import Objects
from xtable_audit.register import affects
from xtable_audit.register.entry import FIRST_TO_HUDI, Entry

PAGE = ROOT / "docs" / "affected-battery.md"
HEAD = """<!-- made by `python -m tools pages.affected`: do not edit -->
# What `affected` says of the battery

[affected.md](affected.md) explains the command. Here it is held against the recorded source tables, each read with its
own partitionSpec. A finding *occurs* on a table if the register says that its claims fail there.
"""
SECTION = {
    ICEBERG.id: """
## To Iceberg

{tables}, under XTable {releases}, and after each upgrade in place between them; folders of Parquet files
and Paimon tables under 0.4.0, the first release that reads them, and Delta tables by delta-rs under 0.4.0 alone.

""",
    ICEBERG_BY_KERNEL.id: """
## To Iceberg, Delta tables read by Delta Kernel

{tables} of Delta, under XTable {releases}.

""",
    KERNEL.id: """
## To Delta, by Delta Kernel

{tables} of Hudi, Iceberg and Paimon, and folders of Parquet files, under XTable {releases}.

""",
    STANDALONE.id: """
## To Delta, by Delta Standalone

{tables} of Hudi, Iceberg and Paimon, and folders of Parquet files, under XTable {releases}; folders, Iceberg
and Paimon tables under 0.4.0 alone.

""",
    HUDI.id: """
## To Hudi

{tables} of Delta, Paimon and Iceberg, and folders of Parquet files, under XTable {releases}.

""",
}
TABLE = """* Every table on which a finding occurs is named, as one that meets it or may meet it.
* No table is said to *meet* a finding that does not occur on it.{excepted}
* The last column counts false alarms: tables that *may meet* a finding which does not occur on them. It depends on the
  order of syncs, on values, or on which columns Hudi's index lists, and no metadata shows these.

| finding | occurs on | of these: meets | may meet | false alarms, all of them "may meet" |
|---|---|---|---|---|
"""
UNNAMED = {
    ("XTF-031", "mor_late_compaction"): "its last update is in a log file, and leaves the number of rows as it was",
    (
        "XTF-039",
        "delta_parquet_clone",
    ): "the file without statistics is not where XTable names it (XTF-067), so no claim compares it",
    ("XTF-063", "delta_rs_by_text"): "its files are not where XTable names them (XTF-036), so no claim compares them",
    ("XTF-078", "parquet_uint32"): "its file cannot be read as the metadata has it (XTF-086), so no claim compares it",
    ("XTF-078", "parquet_times"): "its file cannot be read as a Delta log has it (XTF-089), so no claim compares it",
    ("XTF-078", "parquet_uint64"): "its file cannot be read as a Delta log has it (XTF-089), so no claim compares it",
    ("XTF-078", "parquet_by_year"): "Delta Kernel writes no log (XTF-070)",
    ("XTF-078", "parquet_years_required"): "Delta Kernel writes no log (XTF-070)",
    ("XTF-070", "iceberg_null_day"): "its null (XTF-115) fails each sync before",
    ("XTF-117", "iceberg_all_deleted"): "it has no file, so no claim is tried on it",
    ("XTF-100", "paimon_by_null"): "of Delta's writers Kernel alone comes through; the null fails Standalone (XTF-097)",
    ("XTF-117", "paimon_key"): "XTable takes none of its files (XTF-102), so no claim is tried on it",
    ("XTF-117", "iceberg_widened_int"): "its file cannot be read as the log has it (XTF-069), so no claim compares it",
    ("XTF-071", "partition_swapped"): "its partition spec (XTF-021) fails each sync, so no path is written",
}
"""Entries and tables on which the finding is, and the register has it in another entry, or not yet."""
CALLED = {KERNEL.id: affects.KERNEL, STANDALONE.id: affects.STANDALONE}
"""The register's words for the writers of Delta, by the end of their tables' ids."""


@dataclass(frozen=True)
class UpgradeCase:
    """A table under a release, after one that began its metadata."""

    table: str
    release: XTableRelease
    since: XTableRelease | None
    by: Writer = ICEBERG

    @property
    def id(self) -> str:
        began = f"{self.since.name} then " if self.since else ""
        return f"{self.table}-{self.by.id}, XTable {began}{self.release.name}"


@dataclass
class AffectedRow:
    """What is said of one finding. Names of tables."""

    meets: set[str] = field(default_factory=set)
    may: set[str] = field(default_factory=set)
    missed: set[str] = field(default_factory=set)
    """Cases in which it occurs and is not named."""
    false: set[str] = field(default_factory=set)
    """Cases that are said to meet it, in which it does not occur."""
    excepted: set[str] = field(default_factory=set)
    """Tables that are said to meet it, and of which UNNAMED says why it does not occur."""
    might: set[str] = field(default_factory=set)
    """Tables that are said to maybe meet it, on which it does not occur."""


def conditioned(by: Writer) -> list[Entry]:
    """The entries about what that writer writes, of which `affected` speaks."""
    return [
        entry
        for entry in register(REGISTER)
        if XTABLE in entry.components and any(subject.endswith(f"-{by.id}") for subject in entry.subjects)
    ]


@cache
def recorded_sources() -> Path:
    """The folder with the recorded tables."""
    return unpacked(BATTERY_RECORDINGS, Cache()) / SOURCES


@cache
def recorded() -> Mapping[str, BatteryTable]:
    """The tables of the battery whose source is recorded."""
    return {name: table for name, table in BATTERY.items() if (recorded_sources() / name).is_dir()}


@cache
def asked() -> Mapping[str, BatteryTable]:
    """The recorded tables of the battery, and those that a run has on request alone."""
    return {**recorded(), **{name: table for tables in ON_REQUEST.values() for name, table in tables.items()}}


@cache
def _folder(name: str) -> Path:
    for format, tables in ON_REQUEST.items():
        if name in tables:
            return unpacked(recordings_of(format), Cache()) / SOURCES / name
    return recorded_sources() / name


@cache
def sources() -> Mapping[str, SourceTable]:
    """Every recorded table, as a user's."""
    return {name: source(name) for name in asked()}


@cache
def source(name: str) -> SourceTable:
    table = asked()[name]
    own = XTABLE_SOURCES[table.format]
    if own.name == ICEBERG.target.upper():
        folder = TableFolder(f"{root_of(BUCKET)}/{name}", AtItsAddress(root=_folder(name).parent))
        return source_format(ICEBERG.target).table(folder, None, 0)
    partitioned = Configuration(parse_spec(table.partition_spec)) if own.partitions else None
    return read_source(f"{table.format.lower()}:{_folder(name)}", partitioned)


@dataclass(frozen=True)
class AtItsAddress(Objects):
    """Recorded tables whose metadata names files by the addresses in the store."""

    filesystem: fs.FileSystem = field(default_factory=fs.LocalFileSystem)
    root: Path = Path()

    def path(self, uri: str) -> str:
        return str(self.root / uri.partition(f"/{TABLES}/")[2])


@cache
def releases(by: Writer) -> Sequence[XTableRelease]:
    """Those that have the writer, and of which what it writes is recorded."""
    since = FIRST_KERNEL if by.needs_kernel else FIRST_TO_HUDI if by is HUDI else Version("0")
    return [written_by(by, one) for one in covered(REGISTER) if one.version >= since]


def written_by(by: Writer, release: XTableRelease) -> XTableRelease:
    """What the release is asked as, of what the writer makes."""
    return release.to(by.target, affects.KERNEL if by.reads_by_kernel else affects.SPARK)


@cache
def translated(by: Writer) -> Sequence[str]:
    """The recorded tables of which it is recorded what the writer makes."""
    taken = (name for name, table in asked().items() if TRANSLATORS[by.id].takes(table))
    return [name for name in taken if any(_is_recorded(name, by, one) for one in releases(by))]


def cases(by: Writer) -> Iterator[UpgradeCase]:
    for table in translated(by):
        reading = [
            release
            for release in releases(by)
            if reads(release, XTABLE_SOURCES[asked()[table].format].name.lower()) and _is_recorded(table, by, release)
        ]
        yield from (UpgradeCase(table, release, None, by) for release in reading)
        if by is ICEBERG:
            yield from (UpgradeCase(table, newer, older) for older, newer in combinations(reading, 2))


def _is_recorded(table: str, by: Writer, release: XTableRelease) -> bool:
    """Whether the register can say what occurs on it: of a table that a run has on request, if that is recorded."""
    folder = next((archives_of(by, recordings_of(asked)) for asked in ON_REQUEST if table in ON_REQUEST[asked]), None)
    return folder is None or any(folder.glob(f"{release.name}*{SUFFIX}"))


@cache
def answers(by: Writer) -> Mapping[UpgradeCase, Sequence[Affected]]:
    return {case: answer(case) for case in cases(by)}


def answer(case: UpgradeCase) -> Sequence[Affected]:
    """Those of the writer, and those of any."""
    every = affected(source(case.table), case.release, register(REGISTER), since=case.since)
    return [one for one in every if one.writer in ("", CALLED.get(case.by.id))]


def occurs(entry: Entry, case: UpgradeCase) -> bool:
    """Whether the register says so."""
    began = str(case.since.version) if case.since else None
    subject, release = f"{case.table}-{case.by.id}", str(case.release.version)
    return any(
        one.component == XTABLE and subject in one.subjects and one.in_force(release, began) for one in entry.where
    )


@cache
def rows(by: Writer) -> Mapping[str, AffectedRow]:
    """By the id of the finding. After an upgrade only tables on which it occurs are looked at, as files of before stay,
    and those of the entry that is about that."""
    entries = conditioned(by)
    found = {entry.id: AffectedRow() for entry in entries}
    for case, named in answers(by).items():
        certainties = {one.id: one.certainty for one in named}
        for entry in entries:
            row, meets = found[entry.id], certainties.get(entry.id) is Certainty.MEETS
            if occurs(entry, case):
                if entry.id not in certainties:
                    row.missed.add(case.id)
                (row.meets if meets else row.may).add(case.table)
            elif entry.id in certainties and (case.since is None or any(block.mended for block in entry.affects)):
                if not meets:
                    row.might.add(case.table)
                elif (entry.id, case.table) in UNNAMED:
                    row.excepted.add(case.table)
                else:
                    row.false.add(case.id)
    return found


def page() -> str:
    return HEAD + "".join(map(_section, WRITERS.values()))


def _section(by: Writer) -> str:
    named = ", ".join(release.name for release in releases(by))
    tables = f"{len(translated(by))} tables"
    excepted = "".join(
        f"\n  Named too: {id} on `{table}`: {why}."
        for (id, table), why in UNNAMED.items()
        if id in rows(by) and table in rows(by)[id].excepted
    )
    head = SECTION[by.id].format(tables=tables, releases=named) + TABLE.format(excepted=excepted)
    return head + "".join(_line(id, row) for id, row in rows(by).items())


def _line(id: str, row: AffectedRow) -> str:
    both = row.meets | row.may
    might = f"{len(row.might - both)}" + (f": {_examples(row.might - both)}" if row.might - both else "")
    return f"| [{id}](findings/{id}.md) | {len(both)} | {len(row.meets)} | {len(row.may - row.meets)} | {might} |\n"


def _examples(names: set[str]) -> str:
    first = sorted(names)[:3]
    return ", ".join(f"`{name}`" for name in first) + (" …" if len(names) > len(first) else "")


def main(arguments: Sequence[str] | None = None) -> int:
    argparse.ArgumentParser(prog="python -m tools pages.affected", description=__doc__).parse_args(arguments)
    write_atomically(PAGE, page().encode())
    PAGE.chmod(0o644)
    return 0


if __name__ == "__main__":
    sys.exit(main())
