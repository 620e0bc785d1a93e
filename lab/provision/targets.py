"""Which of XTable's targets a run audits, and over which tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from lab.provision.plan import AFTER_SPARK, DELTA_RS, EVERY, ON_REQUEST, WITHOUT_LOG, Plan
from lab.stack.versions import Release, release, releases
from lab.subjects.table import Offer
from spark_jobs.battery.table import BatteryTable
from xtable.bundled import check_bundle, demand_provider
from xtable.sources import XTABLE_SOURCES, XTableSource, reader_of
from xtable.writer import DELTA, HUDI, ICEBERG, ICEBERG_BY_KERNEL, KERNEL, STANDALONE, TARGETS, WRITERS, Writer
from xtable_audit.model.problem import Problem

# Hudi as a target of XTable: the tables that XTable translates to it, and what a run to it is not asked for.

TO_HUDI = frozenset(
    {
        *("delta_micros", "delta_long_texts", "delta_nan", "delta_by_date", "delta_by_time", "delta_paths"),
        *("delta_mapped", "delta_vectors", "delta_changed", "delta_replaced", "edge_delta_no_rows"),
        *("delta_rs_append", "delta_rs_restored", "delta_rs_returned", "delta_rs_by_text"),
        *("parquet_append", "parquet_plain", "parquet_required", "parquet_years_required"),
        *("paimon_strings", "paimon_append", "paimon_by_string"),
        *("iceberg_append", "iceberg_strings", "iceberg_by_string", "iceberg_by_bucket", "iceberg_null_day"),
        *("iceberg_rename_column", "iceberg_readded_column", "iceberg_repartitioned", "iceberg_rolled_back"),
        "iceberg_position_deletes",
    }
)
"""The source tables, by name: a sync takes 1 to 25 s. Each is here for one kind of column, partition or change."""


def demand_hudi(plan: Plan) -> None:
    """Raises Problem if XTable's Hudi target cannot be audited as the plan asks."""
    if plan.xtable_jar is not None:
        raise Problem("--xtable-jar: what a jar writes as Hudi is not audited; name a release.")
    if plan.upgrade_from is not None:
        raise Problem("--upgrade-from: an upgrade in place of a Hudi target is not audited; audit one release.")
    if plan.delta_source_by != Plan.delta_source_by:
        raise Problem("--delta-source-by: to Hudi, Delta tables are read by Spark alone; leave it out.")


AFTER_STANDALONE = "kernel-after-standalone"
"""The value of --delta-target-by for the upgrade in place from Standalone to Kernel."""
BY_STANDALONE = frozenset(
    {
        *("good_layout", "bad_layout", "plain_types"),
        *("types_nan_plain", "types_float_edges_plain", "types_ints_plain", "types_long_strings_plain"),
        *("types_binary_plain", "types_decimal_bytes_plain", "types_decimal_index", "types_signs_plain"),
        *("types_times_plain", "types_times_index", "types_millis_plain", "types_dates_plain", "types_int96_plain"),
        *("types_nested_plain", "types_lists_plain", "types_maps_plain", "types_nulls_plain", "index_some"),
        *("partition_special", "partition_null", "partition_int", "partition_boolean", "partition_double"),
        *("partition_decimal", "partition_date_value", "partition_date_day", "partition_two_columns"),
        *("partition_in_struct", "partition_by_day", "partition_by_month", "partition_by_hour"),
        *("history_upsert", "history_delete", "history_overwrite_partition", "history_overwrite_table"),
        *("history_drop_partition", "history_cluster", "history_clean", "history_rollback", "history_restore"),
        *("history_late_commit", "history_add_column", "history_drop_columns", "history_widen_int"),
        *("mor_updated", "mor_deleted", "edge_no_rows", "edge_many_commits", "edge_names", "edge_blanks"),
    }
)
"""Tables that Delta Standalone translates unless a run asks for all, since a sync takes 2 to 5 s: every type, kind of
partition and event of a history once, of each pair that differs in how Hudi keeps statistics alone the plain one."""


def writers_of(plan: Plan) -> tuple[Writer, ...]:
    """What of XTable the plan audits. Raises Problem if the release does not have it."""
    if plan.target == HUDI.target:
        demand_hudi(plan)
        return (HUDI,)
    targets = TARGETS if plan.target == EVERY else (plan.target,)
    return tuple(chain.from_iterable(_of_delta(plan) if one == KERNEL.target else _to_iceberg(plan) for one in targets))


def demand_source(plan: Plan) -> None:
    """Raises Problem if XTable does not read Delta tables as the plan asks."""
    if not plan.reads_by_kernel:
        return
    if plan.xtable_jar is not None:
        if plan.delta_source_by == AFTER_SPARK:
            raise Problem("--xtable-jar: a jar is not audited as one that goes on where Spark began; name a release.")
        _demand_provider(plan.xtable_jar, reader_of("DELTA", by_kernel=True))
    if (plan.delta_source_by == AFTER_SPARK) != (plan.upgrade_from is not None):
        raise Problem(
            f"{AFTER_SPARK} and --upgrade-from belong together: the release of the first syncs, which read by Spark."
        )
    demand_readers(plan, _audited(plan))


def _demand_provider(jar: Path, read: XTableSource) -> None:
    """Raises Problem for what is no bundled jar, or one without that reader."""
    check_bundle(jar)
    demand_provider(jar, read)


def demand_folders(plan: Plan) -> None:
    """Raises Problem if folders of Parquet files cannot be audited as the plan asks."""
    if not plan.reads_folders:
        return
    _demand_recorded(plan)
    if plan.readers:
        raise Problem("readers look for tables in the store, and these are on this disk alone; give --readers=none.")
    if plan.xtable_jar is not None:
        _demand_provider(plan.xtable_jar, reader_of(WITHOUT_LOG.upper(), by_kernel=False))
    _demand_readers_of_each(plan)


def demand_paimon(plan: Plan) -> None:
    """Raises Problem if Paimon tables cannot be audited as the plan asks."""
    if not plan.reads_paimon:
        return
    _demand_recorded(plan)
    if plan.xtable_jar is not None:
        raise Problem("a jar runs on its own classes alone, and Paimon's are what XTable's users add; name a release.")
    if plan.target == EVERY:
        raise Problem("they are audited to one target at a time; name it with --target.")
    _demand_readers_of_each(plan)


def demand_delta_rs(plan: Plan) -> None:
    """Raises Problem if Delta tables that delta-rs writes cannot be audited as the plan asks."""
    if plan.source_format == DELTA_RS:
        _demand_recorded(plan)
        if plan.target not in (ICEBERG.target, HUDI.target):
            raise Problem(f"Delta tables are translated to {ICEBERG.words} and {HUDI.words} alone.")


def demand_iceberg(plan: Plan) -> None:
    """Raises Problem if Iceberg tables cannot be audited, as sources, as the plan asks."""
    if plan.source_format != ICEBERG.target:
        return
    if plan.target not in (KERNEL.target, HUDI.target):
        raise Problem(f"Iceberg tables are translated to Delta and Hudi alone; add --target={KERNEL.target}.")
    _demand_recorded(plan)


def _demand_recorded(plan: Plan) -> None:
    if plan.recorded or plan.xtable == "recorded":
        demand_recorded_on_request(plan)


def demand_recorded_on_request(plan: Plan) -> None:
    """Raises Problem if what the plan asks of tables that a run has on request alone is not recorded."""
    if not plan.archives.is_dir():
        raise Problem("no translation of these tables is recorded; run XTable live.")
    if plan.upgrade_from is not None:
        raise Problem("no upgrade in place of their translation is recorded; run XTable live.")


def _demand_readers_of_each(plan: Plan) -> None:
    """Of the release that begins an upgrade in place, too."""
    for of in (_audited(plan), *([release(plan.upgrade_from)] if plan.upgrade_from else [])):
        demand_readers(plan, of)


def demand_readers(plan: Plan, of: Release) -> None:
    """Raises Problem if this release of XTable does not read what the plan has it read."""
    for what in _unread(plan, of):
        raise Problem(f"XTable {of.version} does not read {what}; 0.4.0 is the first that does.")


def reads(plan: Plan, of: Release) -> bool:
    """Whether this release of XTable reads what the plan has it read."""
    return not [*_unread(plan, of)]


def _unread(plan: Plan, of: Release) -> Iterator[str]:
    readers = {
        "Delta by Delta Kernel": (plan.reads_by_kernel, of.delta_kernel),
        "folders of Parquet files": (plan.reads_folders, of.parquet),
        "Paimon tables": (plan.reads_paimon, of.paimon),
    }
    yield from (what for what, (asked, has) in readers.items() if asked and not has)


def begun_by(plan: Plan, writer: Writer) -> Writer:
    """What writes each table's first metadata, if `writer` writes the later."""
    if writer is KERNEL and plan.delta_target_by == AFTER_STANDALONE:
        return STANDALONE
    return ICEBERG if writer is ICEBERG_BY_KERNEL and plan.delta_source_by == AFTER_SPARK else writer


def _to_iceberg(plan: Plan) -> tuple[Writer, ...]:
    return (ICEBERG_BY_KERNEL if plan.reads_by_kernel else ICEBERG,)


def _of_delta(plan: Plan) -> tuple[Writer, ...]:
    match plan.delta_target_by:
        case "auto":
            return (KERNEL if _has_kernel(plan) else STANDALONE,)
        case "all":
            return DELTA if _has_kernel(plan) else (STANDALONE,)
        case "standalone":
            return (STANDALONE,)
    if plan.xtable_jar is not None:
        raise Problem(f"--xtable-jar: {KERNEL.by_no_command_line}")
    after = plan.delta_target_by == AFTER_STANDALONE
    if after and plan.upgrade_from is None:
        raise Problem(f"{AFTER_STANDALONE} is an upgrade in place: add --upgrade-from, which may be the same release.")
    for version in filter(None, (None if after else plan.upgrade_from, _audited(plan).version)):
        KERNEL.demand(version)
    return (KERNEL,)


def _has_kernel(plan: Plan) -> bool:
    """Of a user's jar its command line decides, which passes no properties to a target."""
    began = release(plan.upgrade_from) if plan.upgrade_from else None
    return plan.xtable_jar is None and all(one.delta_kernel for one in (_audited(plan), began) if one)


def _audited(plan: Plan) -> Release:
    """The release under audit. What `auto` resolves to is not known before the run, so the newest known one counts."""
    return releases()[0] if plan.xtable in ("auto", "recorded") else release(plan.xtable)


def is_selected(offer: Offer, plan: Plan, writers: tuple[Writer, ...]) -> bool:
    """Whether the run audits the table, by what writes its metadata. `writers` are `writers_of(plan)`."""
    if _asked_for_by(offer) != plan.source_format:
        return False
    if plan.delta_source_by != Plan.delta_source_by and not _has_second_reader(offer):
        return False
    if offer.id.dataset in not_by_command_line(plan):
        return False
    if offer.id.translator not in WRITERS:
        return offer.id.target in {writer.target for writer in writers}
    writer = WRITERS[offer.id.translator]
    every = STANDALONE not in (writer, begun_by(plan, writer)) or plan.standalone_tables == "all"
    return writer in writers and (every or offer.id.dataset in BY_STANDALONE)


def _asked_for_by(offer: Offer) -> str:
    """The value of --source-format with which a run has the table."""
    name = offer.entry.name if isinstance(offer.entry, BatteryTable) else ""
    return next((value for value, tables in ON_REQUEST.items() if name in tables), Plan.source_format)


def _has_second_reader(offer: Offer) -> bool:
    """Whether XTable translates the table from a format that it reads in two ways."""
    entry = offer.entry
    of_battery = isinstance(entry, BatteryTable) and offer.id.translator in WRITERS
    return of_battery and XTABLE_SOURCES[entry.format].by_kernel is not None


def not_by_command_line(plan: Plan) -> Sequence[str]:
    """The tables, by name, that a jar is not asked for: its command line does not pass on their partition columns."""
    if plan.xtable_jar is None:
        return ()
    return [
        name
        for name, table in ON_REQUEST.get(plan.source_format, {}).items()
        if table.partition_spec and not XTABLE_SOURCES[table.format].partitioned_by_command_line
    ]


def needs_spark(offer: Offer) -> bool:
    """Whether XTable starts a Spark for the table: it reads Delta by Delta Standalone, and may write it so."""
    writer = WRITERS.get(offer.id.translator)
    if writer is None:
        return False
    return writer is STANDALONE or (
        isinstance(offer.entry, BatteryTable) and reads_by_spark(offer.entry.format, writer)
    )


def reads_by_spark(source_format: str, writer: Writer) -> bool:
    """Whether XTable starts a Spark to read a table of that format for the writer."""
    return XTABLE_SOURCES[source_format].starts_spark and not writer.reads_by_kernel
