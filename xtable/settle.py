"""Class-load order in XTable's JVM, made the same for every table.

Hudi's Avro models are loaded while Avro's own class map is being filled: which table a JVM meets first then decides
whether a rollback or a pending compaction ends in "Recursive update" (apache/incubator-xtable #466). Loaded one after
the other beforehand, they do no harm, and no table's result depends on those before it.
"""

from __future__ import annotations

from xtable.sync import Translator

MODELS = (
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
"""Of `org.apache.hudi.avro.model`, in the order in which each finds what it needs already there."""


def settle(translator: Translator) -> None:
    """Loads the models in order."""
    for model in MODELS:
        translator.load_class(f"org.apache.hudi.avro.model.{model}")
