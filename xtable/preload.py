"""Class-load order in XTable's JVM, made the same for every table.

Hudi's Avro models are loaded while Avro's own class map is being filled: which table a JVM meets first then decides
whether a rollback or a pending compaction ends in "Recursive update" (apache/incubator-xtable #466). Loaded one after
the other beforehand, they do no harm, and no table's result depends on those before it.
"""

from __future__ import annotations

from collections.abc import Iterable

from xtable.jvm import Jvm

MODELS = tuple(
    f"org.apache.hudi.avro.model.{model}"
    for model in (
        "HoodieCleanPartitionMetadata",
        "HoodieRollbackPartitionMetadata",
        "HoodieInstantInfo",
        "HoodieRollbackMetadata",
        "HoodieRestoreMetadata",
        "HoodieSliceInfo",
        "HoodieClusteringGroup",
        "HoodieClusteringStrategy",
        "HoodieClusteringPlan",
        "HoodieRequestedReplaceMetadata",
        "HoodieCompactionPlan",
        "HoodieCompactionOperation",
    )
)
"""In an order in which each finds its dependencies loaded."""


def preload(jvm: Jvm, classes: Iterable[str]) -> tuple[str, ...]:
    """Loads those of the classes that are on the JVM's class path, in order; these are returned."""
    found = tuple(name for name in classes if jvm.has(name))  # another release of Hudi may have other models
    for name in found:
        jvm.java.java.lang.Class.forName(name)
    return found
