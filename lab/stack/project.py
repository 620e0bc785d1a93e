"""The folder of this checkout."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""Its folder: of findings.toml, recordings and reports, and what child processes import from."""
