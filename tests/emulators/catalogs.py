"""A table in a catalog, and `xtable-audit check` of it in a process, configured by the environment as users do it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import NamespaceAlreadyExistsError
from pyiceberg.table import Table

from lab.stack.project import ROOT
from tests.tables.lake import orders
from xtable_audit.report.document import Document


def healthy(catalog: Catalog, name: str = "shop.orders") -> Table:
    """A table of two files in the namespace `shop`."""
    with suppress(NamespaceAlreadyExistsError):
        catalog.create_namespace("shop")
    table = catalog.create_table(name, orders(0).schema)
    for number in range(2):
        table.append(orders(number))
    return table


def configured(name: str, properties: Mapping[str, str]) -> dict[str, str]:
    """PyIceberg's environment variables for a catalog with these properties."""
    words = {key: key.upper().replace(".", "__").replace("-", "_") for key in properties}
    return {f"PYICEBERG_CATALOG__{name.upper()}__{words[key]}": value for key, value in properties.items()}


def checked(table: str, folder: Path, environment: Mapping[str, str]) -> Document:
    ran = run(table, folder, environment)
    assert ran.stdout, ran.stderr
    return Document.from_json(ran.stdout)


def run(table: str, folder: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    own = {"PYTHONPATH": str(ROOT), "XTABLE_AUDIT_CACHE": str(folder / "cache"), "HOME": str(folder)}
    return subprocess.run(
        [sys.executable, "-m", "xtable_audit", "check", table, "--json"],
        cwd=folder,
        env=os.environ | own | dict(environment),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
