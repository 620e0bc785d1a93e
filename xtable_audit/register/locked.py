"""Where a finding holds, by the register's locked file: of blocks that name no subjects.

`findings.extents.json` has each test that shows a finding, with the columns that it names and the releases at which it
was seen. The subjects and columns of a block follow from it, and of a finding of XTable's its releases too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from xtable_audit.model.planner import JAVA, JUDGE, PLANNERS
from xtable_audit.model.subject_id import UNTRANSLATED
from xtable_audit.register.entry import Where
from xtable_audit.register.extent import IN_PLACE, Seen

Tests = Mapping[str, Seen]
"""A test of an entry (`claim[dataset-translator-…]`) -> where it was seen, as the locked file has them."""
ClaimsOnTables = frozenset[tuple[str, str]]
"""Claims and subjects."""
XTABLE = "xtable"


@dataclass(frozen=True)
class BlockScope:
    """What subjects that belong into one block have in common."""

    columns: tuple[str, ...]
    planners: tuple[str, ...]
    releases: SpecifierSet
    upgrade_from: SpecifierSet | None = None


def fields_from_locked_file(component: str) -> tuple[str, ...]:
    """The fields of a block of this component that follow from the locked file."""
    fields = ("subjects", "except", "columns")
    return (*fields, "releases", "upgrade_from") if component == XTABLE else fields


def blocks_with_subjects(block: Where, tests: Tests, elsewhere: ClaimsOnTables) -> Sequence[Where]:
    """The block with its subjects: once for each set of columns and releases, in the order of its claims.

    Nothing if no test is of its claims. `elsewhere` has what other blocks of the entry name.
    """
    subjects: dict[BlockScope, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for (claim, subject), shown in sorted(_shown(block, tests).items()):
        if (claim, subject) not in elsewhere:
            for scope in _scopes(block, shown):
                subjects[scope][claim].append(subject)
    found: list[Where] = []
    for scope, by_claim in subjects.items():
        order = sorted(by_claim, key=lambda claim: (by_claim[claim], block.claims.index(claim)))
        for those, alike in groupby(order, key=by_claim.__getitem__):
            found.append(replace(block, claims=tuple(alike), subjects=tuple(those), **vars(scope)))
    return sorted(found, key=lambda one: block.claims.index(one.claims[0]))


def subject_of(test: str) -> str:
    """The table of a test: the first of its parameters, `<dataset>-<translator>`."""
    return _parameters(test)[0]


def _parameters(test: str) -> tuple[str, list[str]]:
    """The table, and what follows it."""
    dataset, *others = test.partition("[")[2].removesuffix("]").split("-")
    translator = others[:0] if dataset in UNTRANSLATED else others[:1]
    return "-".join([dataset, *translator]), others[len(translator) :]


def _shown(block: Where, tests: Tests) -> Mapping[tuple[str, str], Tests]:
    """The tests of each of the block's claims, by claim and subject."""
    asked = {*block.readers, *block.planners}
    found: dict[tuple[str, str], dict[str, Seen]] = defaultdict(dict)
    for test, seen in tests.items():
        claim, further = test.partition("[")[0], _parameters(test)[1]
        if claim in block.claims and (not asked or asked & {*further}):
            found[claim, subject_of(test)][test] = seen
    return found


def _planners(block: Where, tests: Tests) -> tuple[str, ...]:
    """Those that show it, if not all do. Iceberg Java's, which recordings do not have, is as the judge's. A reader and
    its planner have one name.
    """
    if block.planners or block.readers:
        return block.planners
    seen = {planner for test in tests for planner in _parameters(test)[1][:1] if planner in PLANNERS}
    if JUDGE not in seen:
        return tuple(sorted(seen))
    return () if len(seen) > 1 else (JUDGE, JAVA)


def _scopes(block: Where, tests: Tests) -> Iterator[BlockScope]:
    columns = tuple(sorted({name for seen in tests.values() for extent in seen.values() for name in extent.columns}))
    planners = _planners(block, tests)
    runs = {run for seen in tests.values() for run in seen}
    if block.component != XTABLE:
        yield BlockScope(columns, planners, block.releases)
        return
    alone = [run for run in runs if IN_PLACE not in run]
    if alone:
        yield BlockScope(columns, planners, _range(alone))
    since: dict[str, list[str]] = defaultdict(list)
    for run in sorted(runs.difference(alone)):
        before, _, release = run.partition(IN_PLACE)
        if release not in alone:  # what a release shows, it shows after an upgrade too
            since[release].append(before)
    for before_it, releases in groupby(sorted(since, key=lambda one: (since[one], one)), key=since.__getitem__):
        yield BlockScope(columns, planners, _range(releases), _range(before_it))


def _range(releases: Iterable[str]) -> SpecifierSet:
    """`>=0.2,<0.5` for 0.2.0 to 0.4.0; `>=0.2,<0.5,!=0.3.*` without 0.3.0."""
    versions = sorted(map(Version, releases))
    first, last = versions[0], versions[-1]
    between = {(first.major, minor) for minor in range(first.minor, last.minor)} if first.major == last.major else set()
    without = between - {(one.major, one.minor) for one in versions}
    less = "".join(f",!={major}.{minor}.*" for major, minor in sorted(without))
    return SpecifierSet(f">={first.major}.{first.minor},<{last.major}.{last.minor + 1}{less}")
