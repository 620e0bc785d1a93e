"""What each layer of Hudi's file index leaves, from the index object that planned a scan."""

from __future__ import annotations

from typing import Any

from lab.engines.spark.plan import each
from xtable_audit.readers.reader import Layers


def layers_of(scan: Any) -> Layers:
    """The layers of `scan`, an executed `FileSourceScanExec` of Hudi 1.x.

    Counts file slices: a log file next to its base file does not count. For COPY_ON_WRITE, slices are base files.

    A predicate on a partition column prunes by path, and Hudi does not use the partition statistics. The first layer
    then counts what the paths leave, and `partitions` is None.
    """
    index, by_value, by_path = scan.relation().location(), scan.dataFilters(), scan.partitionFilters()
    everything = index.prunePartitionsAndGetFileSlices(by_value.take(0), by_path.take(0))
    pruning = index.prunePartitionsAndGetFileSlices(by_value, by_path)
    pruned, left = pruning._1(), list(each(pruning._2()))
    return Layers(
        live=_slices(each(everything._2())),
        after_partition_statistics=_slices(left),
        after_column_statistics=_slices(each(index.filterFileSlices(by_value, by_path, False))),
        partitions=tuple(sorted(map(_path, left))) if pruned and by_path.isEmpty() else None,
    )


def _slices(partitions: Any) -> int:
    return sum(partition._2().size() for partition in partitions)


def _path(partition: Any) -> str:
    return str(partition._1().get().getPath())
