"""What a first audit downloads beside the Python packages, by part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lab.stack.jars import is_resolvable, resolve_spark_jars, resolve_xtable_jars
from lab.stack.versions import releases, stack


def measure(scale: float) -> Iterator[str]:
    """`scale` is ignored."""
    del scale
    spark = resolve_spark_jars(stack())
    yield _line("jars for Spark (Hudi, Iceberg, S3A)", spark)
    seen = set(spark)
    for release in releases():
        if is_resolvable(release):
            jars = resolve_xtable_jars(release)
            yield _line(f"jars for XTable {release.version}", jars)
            yield _line("  of which not in a newer one above", [jar for jar in jars if jar not in seen])
            seen.update(jars)


def _line(name: str, jars: tuple[Path, ...] | list[Path]) -> str:
    return f"{name:<44} {len(jars):4} files {sum(jar.stat().st_size for jar in jars) / 1e6:7.1f} MB"
