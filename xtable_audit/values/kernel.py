"""Which code measures data files: what is kept of a file, or measured elsewhere, holds for the same code alone."""

from __future__ import annotations

import pyarrow as pa

from xtable_audit.model.code import code_of, digest

PACKAGES = ("xtable_audit.values", "xtable_audit.formats.iceberg")
"""The packages whose code decides what is measured: values, and the transforms that are measured value by value."""


def kernel() -> str:
    """A digest of the code that measures files, and of Arrow's version."""
    return digest(pa.__version__, code_of(*PACKAGES))
