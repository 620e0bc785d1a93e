"""What Hudi's file index leaves after each of its layers, asked of the very index that planned a scan."""

from __future__ import annotations

from typing import Any

from readers.base import Layers
from readers.spark_plan import each


def layers_of(scan: Any) -> Layers:
    """The layers over `scan`, a `FileSourceScanExec` of Hudi 1.x that was run.

    Counted are file slices, and not a log beside its base file. Of a COPY_ON_WRITE table slices are base files.

    A predicate over a partition column prunes by path, and the partition statistics are then not asked: what the paths
    leave is counted as the first layer, and `partitions` is None.
    """
    index, by_value, by_path = scan.relation().location(), scan.dataFilters(), scan.partitionFilters()
    everything = index.prunePartitionsAndGetFileSlices(by_value.take(0), by_path.take(0))
    told = index.prunePartitionsAndGetFileSlices(by_value, by_path)
    pruned, left = told._1(), list(each(told._2()))
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
