"""What a table may cost the judge, in bytes, before one of its files is refused."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """All follow from `metadata`, so that one option raises them together for a table that is legal and huge."""

    metadata: int = 256 * MIB
    """Bytes of one metadata file: metadata.json, a manifest list, a manifest or a file of deletion vectors, inflated.
    Manifests have 8 MiB by default (Iceberg, commit.manifest.target-size-bytes), deflated."""

    @property
    def footer(self) -> int:
        """Bytes of a Parquet footer; decoded, it takes up to 200 times as many."""
        return self.metadata // 16

    @property
    def row_group(self) -> int:
        """Bytes of the columns that are read of a row group, inflated and still encoded: 4 GiB by default. Writers make
        row groups of 128 MiB by default (Iceberg, write.parquet.row-group-size-bytes), before they deflate them."""
        return self.metadata * 16


LIMITS = Limits()
