"""What every claim has: the rule that it rests on, an id that names its tests, and needs that say what it looks at."""

from __future__ import annotations

import ast
from collections.abc import ItemsView, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from fixtures.claims import TESTS, hold
from lab.provision.checked_register import REGISTER, register
from lab.stack.project import ROOT
from tests.of_each import of_each
from tests.tables.draft import HEALTHY, NEGATIVE
from tests.xtable_audit.claims.needs_of_claims import looking, waiting
from tests.xtable_audit.conftest import TableOf
from xtable_audit.claims import CLAIMS as OF_ICEBERG
from xtable_audit.claims import bounds, needs
from xtable_audit.claims.every_claim import EVERY_CLAIM, HELD_FIRST, MODULES
from xtable_audit.formats.delta.rules import DELTA_RULES
from xtable_audit.formats.iceberg.claims import needs as iceberg_needs
from xtable_audit.model.claim import CLAIMS, Need, claim
from xtable_audit.model.finding import Verdict
from xtable_audit.model.rules import QUOTED, READ_ON, SECTIONS, link_of
from xtable_audit.pytest_plugin.holding import claim_of
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case, Part
from xtable_audit.values.parquet import carries_ids

JUDGE = ROOT / "xtable_audit"
OF_SPECS = [claim for claim in EVERY_CLAIM.values() if claim.spec.startswith(("Iceberg", "Puffin", "RFC", "Delta"))]


@dataclass(frozen=True)
class Written:
    """One test of the suites: its file, its name, and the claim that it holds."""

    file: str
    name: str
    claim: str


def written() -> Iterator[Written]:
    """`test_x = hold(module.x, …)`, wherever a suite has it."""
    for file in sorted(Path(ROOT / "suites").rglob("test_*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            match node:
                case ast.Assign(
                    targets=[ast.Name(id=name)],
                    value=ast.Call(func=ast.Name(id="hold"), args=[ast.Attribute(attr=id), *_]),
                ):
                    yield Written(f"{file.parent.name}-{file.stem}", name, id)
                case ast.FunctionDef(name=name):
                    yield Written(f"{file.parent.name}-{file.stem}", name, "")


WRITTEN = tuple(written())


# The rules that claims rest on.


def test_a_rule_of_a_specification_names_a_section_that_it_has() -> None:
    assert not [claim.spec for claim in OF_SPECS if link_of(claim.spec) is None]


def test_every_section_is_the_rule_of_a_claim_or_quoted() -> None:
    of_delta = (rule.spec for rule in DELTA_RULES.rules.values())
    rules = [*(claim.spec for claim in OF_SPECS), *of_delta, *QUOTED.values()]
    assert {rule.partition(":")[0] for rule in rules} == {*SECTIONS}


def test_a_quoted_rule_names_a_section_that_is_known() -> None:
    assert not [rule for rule in QUOTED.values() if link_of(rule) is None]


def test_a_quoted_rule_is_quoted() -> None:
    assert not [rule for rule in QUOTED.values() if rule.count('"') < 2]


def test_every_specification_has_the_date_on_which_it_was_read() -> None:
    assert {section.partition(",")[0] for section in SECTIONS} <= {*READ_ON}


def test_every_quoted_rule_is_one_of_a_finding() -> None:
    assert {name for entry in register(REGISTER) for name in entry.rules} == {*QUOTED}


def test_no_module_of_claims_is_left_out() -> None:
    helpers = {"deviation.py", "every_claim.py", "needs.py", "records.py", "__init__.py"}
    files = [*(JUDGE / "claims").rglob("*.py"), *(JUDGE / "formats").glob("*/claims/*.py")]
    assert helpers <= {path.name for path in files}
    assert {Path(str(module.__file__)) for module in MODULES} == {path for path in files if path.name not in helpers}


def test_delta_has_rules_of_claims_that_there_are() -> None:
    assert {*DELTA_RULES.rules, *DELTA_RULES.silent} - {f"{id}_after_a_sync" for id in EVERY_CLAIM} <= {*EVERY_CLAIM}


def test_no_claim_has_both_a_rule_of_deltas_and_none() -> None:
    assert {*DELTA_RULES.rules} & {*DELTA_RULES.silent} == set()


# A claim is written once: its id is its function's name, its tests and their words are made from it.


def test_a_test_is_named_after_the_claim_that_it_holds() -> None:
    assert not [test for test in WRITTEN if test.name != f"test_{test.claim}" or test.claim not in CLAIMS]


def test_every_claim_is_held_by_a_test() -> None:
    assert {test.claim for test in WRITTEN} == set(CLAIMS) - HELD_FIRST


def test_every_claim_can_be_held() -> None:
    assert not [id for id, claim in CLAIMS.items() if claim.about not in TESTS]


def test_a_test_carries_its_claim(request: pytest.FixtureRequest) -> None:
    test = hold(bounds.no_bound_is_nan, pytest.mark.parametrize("table", ["a", "b"]))
    item = pytest.Function.from_parent(request.node.parent, name="test_by_another_name", callobj=test)
    assert claim_of(item) is bounds.no_bound_is_nan


def test_a_test_has_its_claims_sentence() -> None:
    test = hold(bounds.no_bound_is_nan)
    assert (test.__name__, test.__doc__) == ("test_no_bound_is_nan", "No bound is NaN.")


ANY = Need[Case]("a table", lambda case: 1)


def test_a_second_claim_of_the_same_id_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or the first one would be gone without a word."""
    monkeypatch.setattr("xtable_audit.model.claim.CLAIMS", {"it_holds": SimpleNamespace(family="bounds")})

    def it_holds(case: Case) -> Iterator[object]:
        yield from ()

    with pytest.raises(ValueError, match="two claims have the id it_holds, in bounds and test_claims"):
        claim("it holds", needs=ANY, spec="none", breaks=Verdict.LOOSE)(it_holds)


def test_a_claim_that_needs_nothing_is_an_error() -> None:
    """It could hold having compared nothing."""

    def it_holds(case: Case) -> Iterator[object]:
        yield from ()

    with pytest.raises(ValueError, match="the claim it_holds says nothing of what it needs"):
        claim("it holds", needs=(), spec="none", breaks=Verdict.LOOSE)(it_holds)


# By its needs a claim says what it looks at: what must be there, and what it waits for until data files are read.

OF_COLUMNS = {
    "bounds": needs.BOUNDS_OF_VALUES,
    "values": needs.VALUES,
    "value counts": needs.COUNTED,
    "null counts": needs.NULLS_COUNTED,
}
READ = {
    "nothing beside the data files": (Part.VALUES,),
    "something beside the data files": (Part.VALUES, Part.BESIDE),
    "the rows of a source": (Part.VALUES, Part.ROWS),
    "all": (Part.VALUES, Part.BESIDE, Part.ROWS),
}
ASKED = {
    f"{words}, {when}": (parts, only)
    for words, parts in READ.items()
    for when, only in {"read later": False, "metadata only": True}.items()
}


class FirstOnly(dict[str, pa.Table]):
    """Columns of which nobody may ask for a second."""

    def items(self) -> Any:
        def one() -> Iterator[tuple[str, pa.Table]]:
            yield next(iter(ItemsView(self)))
            raise AssertionError("a second column was looked at")

        return one()


@pytest.fixture(params=[*HEALTHY, *NEGATIVE])
def case(request: pytest.FixtureRequest, table_of: TableOf) -> Case:
    """A table as a check has it, without a history."""
    id: str = request.param
    return replace(table_of(id).case, history=(), beside=None, rows=None)


# A need looks only as far as the first thing to compare: the check itself walks the whole table.


@pytest.mark.parametrize("need", OF_COLUMNS.values(), ids=OF_COLUMNS.keys())
def test_a_need_stops_at_the_first_column_that_meets_it(table_of: TableOf, need: Need[Case]) -> None:
    case = table_of("typed").case
    columns = FirstOnly(sorted(case.stored.columns.items(), key=lambda one: one[0] != "int"))
    assert need.count(replace(case, stored=replace(case.stored, columns=columns)))


@pytest.mark.parametrize("need", OF_COLUMNS.values(), ids=OF_COLUMNS.keys())
def test_a_need_that_no_column_meets_is_unmet(table_of: TableOf, need: Need[Case]) -> None:
    case = table_of("typed").case
    assert not need.count(replace(case, stored=replace(case.stored, columns={})))


def test_files_of_one_schema_are_looked_at_once(table_of: TableOf, monkeypatch: pytest.MonkeyPatch) -> None:
    case = table_of("typed").case
    schema = pa.schema([pa.field("n", pa.int64(), metadata={"PARQUET:field_id": "1"})])
    seen: list[pa.Schema] = []

    def looked_at(one: pa.Schema) -> bool:
        seen.append(one)
        return carries_ids(one)

    monkeypatch.setattr(iceberg_needs, "carries_ids", looked_at)
    many = replace(case, actual=replace(case.actual, schemas=(schema, None) * 1000))
    assert (bool(iceberg_needs.FILES_WITHOUT_IDS.count(many)), seen) == (False, [schema])


# A claim that looks at more than metadata says so by its needs: the others are judged before a data file is read.


@of_each(("parts", "only"), ASKED.values(), ids=ASKED)
def test_the_claims_that_wait_are_those_that_look(case: Case, parts: tuple[Part, ...], only: bool) -> None:
    bare = replace(case, source=replace(case.source, shown=None), metadata_only=only)
    assert waiting(bare, *parts) == looking(bare, *parts)


def test_without_a_source_the_claims_that_wait_are_those_that_look(case: Case) -> None:
    alone = replace(case, source=UNKNOWN_SOURCE)
    assert waiting(alone, Part.VALUES) == looking(alone, Part.VALUES)


def test_some_claims_wait_and_some_do_not(case: Case) -> None:
    assert 20 < len(waiting(case, Part.VALUES)) < len(OF_ICEBERG) - 20
