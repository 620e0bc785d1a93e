"""The datasets that the suite can write; importing this does not start Spark."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from spark_jobs.columns import LAYOUT_BUCKET, PICKUP_MONTH

HERE = Path(__file__).parent

SHARED = ("volume", "columns", "draws", "trips", "tlc", "session", "job")
SESSION = HERE.parent / "lab" / "stack" / "spark.py"


@dataclass(frozen=True)
class Recipe:
    """What a dataset is, and which script writes it."""

    name: str
    description: str
    format: Literal["HUDI", "ICEBERG"]
    partition_by: tuple[str, ...]
    partition_spec: str  # in the syntax of XTable's configuration
    parts: tuple[str, ...]  # modules of spark_jobs, beside the shared ones, that decide what is written

    @property
    def module(self) -> str:
        """What `python -m` runs."""
        return f"spark_jobs.{self.name}"

    @property
    def sources(self) -> tuple[Path, ...]:
        """The files whose text decides what the table holds, for a cache's key."""
        return (*(HERE / f"{part}.py" for part in (self.name, *self.parts, *SHARED)), SESSION)


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            name="native_iceberg",
            description="Iceberg as Spark writes it, partitioned by pickup_month, one sorted file a month.",
            format="ICEBERG",
            partition_by=(PICKUP_MONTH,),
            partition_spec=f"{PICKUP_MONTH}:VALUE",
            parts=("layout",),
        ),
        Recipe(
            name="good_layout",
            description="Hudi, partitioned by pickup_month and sorted by pickup time: one file a month.",
            format="HUDI",
            partition_by=(PICKUP_MONTH,),
            partition_spec=f"{PICKUP_MONTH}:VALUE",
            parts=("layout", "hudi_table"),
        ),
        Recipe(
            name="bad_layout",
            description="Hudi, the same rows dealt over four files of one constant partition: "
            "every file spans every month, so that no metadata can help.",
            format="HUDI",
            partition_by=(LAYOUT_BUCKET,),
            partition_spec=f"{LAYOUT_BUCKET}:VALUE",
            parts=("hudi_table",),
        ),
    )
}
