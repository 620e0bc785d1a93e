"""The register of known findings, checked against the claims, tables and readers that its entries name."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from lab.engines.readers import READERS
from lab.provision.catalogue import Catalogue
from lab.provision.plan import Plan
from lab.stack.project import ROOT
from lab.stack.versions import releases
from xtable_audit.claims.every_claim import EVERY_CLAIM, HELD_FIRST
from xtable_audit.register.extent import Extents, load_extents, path_of_extents
from xtable_audit.register.register import BadRegister, Entry, base_version, is_numbered, load_register

REGISTER = ROOT / "findings.toml"
COMPONENTS = {"xtable", "control", "hudi", "spark", *READERS}


def register(path: Path, catalogue: Catalogue | None = None) -> tuple[Entry, ...]:
    """The entries of the register at `path`. Raises UsageError for an invalid register.

    `catalogue` has the subjects that entries may name: by default those that this suite builds, of every target.
    """
    return _register(path, _subjects() if catalogue is None else frozenset(catalogue))


@cache
def _subjects() -> frozenset[str]:
    return frozenset(Catalogue(Plan()))


@cache
def _register(path: Path, subjects: frozenset[str]) -> tuple[Entry, ...]:
    try:
        return load_register(
            path,
            claims=EVERY_CLAIM.keys() - HELD_FIRST,
            subjects=set(subjects),
            readers=set(READERS),
            components=COMPONENTS,
        )
    except BadRegister as error:
        raise pytest.UsageError(str(error)) from error


def extents(path: Path) -> Extents | None:
    """The extents beside the register at `path`; None if it has none. Raises UsageError for an invalid file."""
    try:
        return load_extents(path)
    except BadRegister as error:
        raise pytest.UsageError(str(error)) from error


def without_extents(path: Path) -> str:
    """A sentence if the register at `path` has entries and no extents; else an empty string."""
    if extents(path) is not None or not register(path):
        return ""
    return f"{path.name} has no {path_of_extents(path).name} beside it, so the run compares no extents of its findings."


def unknown_release(version: str) -> str:
    """A sentence if the register does not cover this XTable release; else an empty string."""
    covered = {release.short for release in releases()}
    if is_numbered(version) and str(base_version(version)) in covered:
        return ""
    return f"The register does not cover XTable {version}: the claims alone judge it, and every finding is new."


def short_id(test: str) -> str:
    """The claim that a test (`suites/x.py::test_y[table]`) checks, with the parameters: `y[table]`."""
    head, bracket, parameters = test.partition("[")
    return head.rpartition("::")[2].removeprefix("test_") + bracket + parameters
