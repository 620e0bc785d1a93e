"""What a reader is and can do, known before it is imported."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Literal

from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import ICEBERG

Reported = Literal["live", "planned", "scanned"]
"""What an engine may report of its own plan: live files, planned files, rows scanned before filtering."""


@dataclass(frozen=True)
class Capabilities:
    """What a reader can do besides counting rows. `Answer` has None for what it does not report."""

    live: bool = False
    """Reports how many live files the table has."""
    planned: Literal["names", "count"] | None = None
    """Reports the planned files by name, or only their number."""
    scanned: bool = False
    """Reports how many rows it scans."""
    planner: str | None = None
    """The reader whose library plans for it."""
    alone: bool = False
    """Its engine caches files across sessions: one process at a time may query it."""
    needs_field_ids: bool = False
    """Refuses Parquet files without field ids. Hudi and XTable write none (XTF-001)."""
    needs_metadata_folder: bool = False
    """Reads a metadata.json only in a folder metadata/ below the table."""

    def reports(self, what: Reported) -> bool:
        return bool(getattr(self, what))

    @property
    def plan(self) -> str:
        """What it reports of its plan, in words."""
        files = {"names": "the planned files by name", "count": "the number of planned files", None: ""}[self.planned]
        parts = ["the number of live files" if self.live else "", files, "the rows scanned" if self.scanned else ""]
        reported = ", ".join(part for part in parts if part) or "nothing"
        return f"reports {reported}" + (f"; {self.planner} plans for it" if self.planner else "")

    @property
    def limits(self) -> tuple[str, ...]:
        """What it cannot read, each in words."""
        ids = ("refuses Parquet files without field ids, which is all that Hudi and XTable leave (XTF-001)",)
        folder = ("reads a metadata.json only in a folder metadata/ below the table",)
        return (ids if self.needs_field_ids else ()) + (folder if self.needs_metadata_folder else ())


@dataclass(frozen=True)
class Adapter:
    """A reader's adapter: where it is, what it depends on, what it can do."""

    factory: str
    """Its `ReaderFactory`, as a name for `pkgutil.resolve_name`: `package.module:Class`."""
    module: str
    """The Python module of the engine or its client."""
    distribution: str
    """The distribution that pip installs and that has the version; often named differently from the module."""
    capabilities: Capabilities
    s3: str
    """How it reaches the store, in words."""
    also: str = ""
    """Further limits, in words."""
    needs: str = "comes by pip"
    """Where it comes from, in words."""
    engine: str | None = None
    """The name of the engine that gives its handle; None if a Python package suffices."""
    refuses: str | None = None
    """What its error says where it refuses a table by what is in the table's files, on any machine and at any time."""
    formats: tuple[str, ...] = (ICEBERG,)
    """The table formats that it opens."""

    @property
    def embedded(self) -> bool:
        return self.engine is None

    @property
    def limits(self) -> str:
        """What it cannot read, or only in part, in words."""
        return "; ".join([*self.capabilities.limits, *([self.also] if self.also else [])]) or "none known"

    @property
    def installed(self) -> str | None:
        """The installed version; None if the module is not installed.

        Raises Problem for a module without its distribution: register entries cannot apply without a version.
        """
        if find_spec(self.module) is None:
            return None
        try:
            return version(self.distribution)
        except PackageNotFoundError as error:
            raise Problem(
                f"{self.module} can be imported, but no distribution {self.distribution} is installed, so its version "
                "is unknown: install it with pip."
            ) from error
