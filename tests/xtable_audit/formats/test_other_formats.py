"""Formats of other packages: found by their entry points, and served by everything that names no format."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from lab.stack.project import ROOT
from xtable_audit.claims import CLAIMS
from xtable_audit.formats.installed import GROUP, INSTALLED, OURS, Installed, TableFormat
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.model.target_rules import TargetRules
from xtable_audit.scan import LocalScanner, actual_metrics, live_files
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case
from xtable_audit.subject.table_rows import read_rows
from xtable_audit.table.plain_table import PlainFile, PlainTable, plain_metrics

Package = Callable[[str, str, str], None]
"""Installs a package: its name, the line of its entry point, and its module's text."""
ONE = "from xtable_audit.formats.installed import TableFormat\nONE = TableFormat()\n"
PLACE = pa.struct([("city", pa.string()), ("spots", pa.list_(pa.int64()))])
SCHEMA = pa.schema([("id", pa.int64()), ("place", PLACE), ("at", pa.timestamp("us")), ("part", pa.string())])
TABLE = PlainTable(TargetRules("plain"), SCHEMA, partition_by=("part",))
OBJECTS = Objects(fs.LocalFileSystem())
NO_NULLS = {"id": 0, "place.city": 0, "at": 0, "part": 0}
FALSE: dict[str, tuple[dict[str, Any], str]] = {
    "a bound inside a struct": ({"upper": {"place.city": "Oslo"}}, "bounds_contain_values"),
    "a bound of another type": ({"lower": {"id": 1.5}}, "bounds_are_of_the_columns_type"),
    "a time that is none": ({"upper": {"at": "noon"}}, "bounds_are_of_the_columns_type"),
    "a bound finer than its type": ({"lower": {"at": "2026-11-25T01:02:03.0000001"}}, "bounds_are_of_the_columns_type"),
    "a partition value": ({"partition": {"part": "b"}}, "tuples_equal_every_row"),
    "a null count": ({"nulls": NO_NULLS | {"id": 2}}, "null_counts_are_exact"),
}
TRUE: dict[str, Any] = {
    "lower": {"id": 1, "place.city": "Oslo", "at": "2026-11-25T01:02:03"},
    "upper": {"id": 2, "place.city": "Rome", "at": "2026-11-25T01:02:03.000001"},
    "nulls": NO_NULLS,
    "partition": {"part": "a"},
}
CLAIMED = sorted({claim for _, claim in FALSE.values()})
PACKAGES = (
    "fixtures",
    "lab/provision",
    "lab/recording",
    "lab/subjects",
    "suites",
    "xtable",
    *(f"tools/{one}" for one in ("frozen", "gate", "pages", "reproduce")),
)
ELSEWHERE = {
    "xtable_audit/formats": "a format's own folder",
    "tools/reproduce/kit": "copied beside a finding, and run without this suite",
    "tools/reproduce/finding.py": "a component of the register, whose release shows a finding, has the name",
    "tools/reproduce/reproduced_json.py": "the same",
}
"""Where a format's name decides, and why it may."""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Package]:
    monkeypatch.syspath_prepend(tmp_path)
    installed = []

    def install(name: str, line: str, text: str) -> None:
        (tmp_path / f"{name}.py").write_text(text)
        metadata = tmp_path / f"{name}-1.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (metadata / "entry_points.txt").write_text(f"[{GROUP}]\n{line}\n")

        installed.append(name)

    yield install
    for name in installed:
        sys.modules.pop(name, None)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    at = pa.array([1795568523000000, 1795568523000001]).cast(pa.timestamp("us"))
    places = pa.array([{"city": "Rome", "spots": [1]}, {"city": "Oslo", "spots": []}], PLACE)
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": [1, 2], "place": places, "at": at, "part": ["a", "a"]}), path)
    return path


def case(file: Path, **said: Any) -> Case:
    entry = PlainFile(str(file), file.stat().st_size, 2, **TRUE | said)
    stored = plain_metrics(OBJECTS, str(file.parent / "plain.json"), TABLE, [entry])
    return Case("plain", stored, actual_metrics(LocalScanner(OBJECTS), stored), UNKNOWN_SOURCE)


def product() -> list[Path]:
    files = [file for package in ("xtable_audit", *PACKAGES) for file in (ROOT / package).rglob("*.py")]
    return [file for file in files if not file.relative_to(ROOT).as_posix().startswith(tuple(ELSEWHERE))]


def decided_by_name(tree: ast.AST) -> Iterator[int]:
    """Lines that compare something with the literal name of a format, or begin with it."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=comparators):
                compared: list[ast.AST] = [left, *comparators]
            case ast.MatchValue(value=value):
                compared = [value]
            case ast.Call(func=ast.Attribute(attr="startswith" | "endswith"), args=args):
                compared = [*args]
            case _:
                continue
        if any(_is_name(one) for one in compared):
            yield getattr(node, "lineno", 0)


def _is_name(node: ast.AST) -> bool:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(_is_name, node.elts))
    return isinstance(node, ast.Constant) and str(node.value).lower() in {*INSTALLED}


# Formats of other packages, by their entry points.


@pytest.mark.parametrize("name", OURS)
def test_a_format_of_the_judge_is_a_source_or_a_target(name: str) -> None:
    one = Installed(OURS)[name]
    assert one.source is not None or one.target is not None


def test_a_format_of_another_package_is_installed_with_it(package: Package) -> None:
    package("lake_of_somebody", "lake = lake_of_somebody:ONE", ONE)
    assert Installed(OURS)["lake"] == TableFormat()


def test_a_format_whose_name_is_taken_is_refused(package: Package) -> None:
    package("delta_of_somebody", "delta = delta_of_somebody:ONE", ONE)
    with pytest.raises(Problem, match=r"two packages register the table format delta: .*, and delta_of_somebody:ONE"):
        len(Installed(OURS))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import no_such_module", "cannot be loaded from broken_of_somebody:ONE: No module named 'no_such_module'"),
        ("", "cannot be loaded from broken_of_somebody:ONE: .*has no attribute 'ONE'"),
        ("ONE = 1", "is no TableFormat: broken_of_somebody:ONE is of type int"),
    ],
    ids=["its module cannot be imported", "its module lacks it", "it is something else"],
)
def test_a_format_that_cannot_be_loaded_is_named(package: Package, text: str, why: str) -> None:
    package("broken_of_somebody", "broken = broken_of_somebody:ONE", text)
    with pytest.raises(Problem, match=f"the table format broken {why}"):
        Installed(OURS)["broken"]


# What a simple format gets for nothing: columns inside structs, partition values, rows, and values of no type.


@pytest.mark.parametrize("claim", CLAIMED)
def test_a_claim_holds_of_what_is_true(file: Path, claim: str) -> None:
    assert CLAIMS[claim].deviations(case(file)) == []


@pytest.mark.parametrize(("said", "claim"), FALSE.values(), ids=FALSE)
def test_what_is_false_breaks_one_claim(file: Path, said: dict[str, Any], claim: str) -> None:
    spoilt = case(file, **said)
    assert [id for id in CLAIMED if CLAIMS[id].deviations(spoilt)] == [claim]


def test_rows_are_read_by_name(file: Path) -> None:
    stored = case(file).stored
    assert read_rows(OBJECTS, stored, live_files(OBJECTS, stored)).values.equals(pq.read_table(file))


@pytest.mark.parametrize(
    "entry", [{"rows": "many"}, {"rows": True}, {"size": 1.5}, {"nulls": {"id": "2"}}, {"lower": []}], ids=str
)
def test_an_entry_of_another_form_is_malformed(entry: dict[str, Any]) -> None:
    with pytest.raises(Malformed, match="does not describe a file as its format does"):
        plain_metrics(OBJECTS, "/t/plain.json", TABLE, [PlainFile("/t/a.parquet", **entry)])


# Nothing outside a format's own folder decides by its literal name: what differs is the format's to say.


def test_no_code_outside_a_formats_folder_decides_by_its_name() -> None:
    found = {
        file.relative_to(ROOT).as_posix(): lines
        for file in product()
        if (lines := [*decided_by_name(ast.parse(file.read_text(encoding="utf-8")))])
    }
    assert found == {}


@pytest.mark.parametrize(
    "code",
    [
        'target == "delta"',
        '"HUDI" != table.format',
        'target in ("iceberg", "all")',
        'name.startswith("delta")',
        'match target:\n    case "iceberg":\n        pass',
    ],
)
def test_a_decision_by_name_is_seen(code: str) -> None:
    assert [*decided_by_name(ast.parse(code))]


@pytest.mark.parametrize("place", ELSEWHERE)
def test_every_exception_is_in_use(place: str) -> None:
    files = [ROOT / place] if place.endswith(".py") else [*(ROOT / place).rglob("*.py")]
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    assert any(line for tree in trees for line in decided_by_name(tree))
