"""Where a finding holds, by the register's locked file: of blocks that name no subjects.

`findings.extents.json` has each test that shows a finding, with the columns that it names and the releases at which it
was seen. The subjects and columns of a block follow from it, of a finding of XTable's its releases, and of a block for
any reader (`readers = ["*"]`) those that show it.
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
ClaimsByReaders = frozenset[tuple[str, str]]
"""Claims and readers that blocks name."""
XTABLE = "xtable"
ANY_READER = ("*",)
"""The readers of a block that holds for whichever show it, but for those that other blocks of its claims name."""


@dataclass(frozen=True)
class BlockScope:
    """What subjects that belong into one block have in common."""

    columns: tuple[str, ...]
    readers: tuple[str, ...]
    planners: tuple[str, ...]
    releases: SpecifierSet
    upgrade_from: SpecifierSet | None = None


def fields_from_locked_file(component: str) -> tuple[str, ...]:
    """The fields of a block of this component that follow from the locked file."""
    fields = ("subjects", "except", "columns")
    return (*fields, "releases", "upgrade_from") if component == XTABLE else fields


def blocks_with_subjects(
    block: Where, tests: Tests, elsewhere: ClaimsOnTables, named: ClaimsByReaders
) -> Sequence[Where]:
    """The block with its subjects: once for each set of columns, releases and readers, in the order of its claims.

    Nothing if no test is of its claims. `elsewhere` and `named` have what other blocks of the entry name.
    """
    subjects: dict[BlockScope, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for (claim, subject), shown in sorted(_shown(block, tests, named).items()):
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


def readers_of(test: str) -> list[str]:
    """The reader or planner of a test, and what it is asked, if it has them."""
    return _parameters(test)[1]


def _parameters(test: str) -> tuple[str, list[str]]:
    """The table, and what follows it."""
    dataset, *others = test.partition("[")[2].removesuffix("]").split("-")
    translator = others[:0] if dataset in UNTRANSLATED else others[:1]
    return "-".join([dataset, *translator]), others[len(translator) :]


def _shown(block: Where, tests: Tests, named: ClaimsByReaders) -> Mapping[tuple[str, str], Tests]:
    """The tests of each of the block's claims, by claim and subject."""
    asked = {*block.readers, *block.planners} - {*ANY_READER}
    found: dict[tuple[str, str], dict[str, Seen]] = defaultdict(dict)
    for test, seen in tests.items():
        claim, further = test.partition("[")[0], readers_of(test)
        of_another = block.readers == ANY_READER and any((claim, one) in named for one in further)
        if claim in block.claims and not of_another and (not asked or asked & {*further}):
            found[claim, subject_of(test)][test] = seen
    return found


def _planners(block: Where, tests: Tests) -> tuple[str, ...]:
    """Those that show it, if not all do. Iceberg Java's, which recordings do not have, is as the judge's. A reader and
    its planner have one name.
    """
    if block.planners or block.readers:
        return block.planners
    seen = {planner for test in tests for planner in readers_of(test)[:1] if planner in PLANNERS}
    if JUDGE not in seen:
        return tuple(sorted(seen))
    return () if len(seen) > 1 else (JUDGE, JAVA)


def _scopes(block: Where, tests: Tests) -> Iterator[BlockScope]:
    """Readers that show it in the same columns and at the same releases have one scope."""
    if block.readers != ANY_READER:
        yield from _scopes_of(block, tests)
        return
    by_reader: dict[str, dict[str, Seen]] = defaultdict(dict)
    for test, seen in tests.items():
        by_reader[readers_of(test)[0]][test] = seen
    readers: dict[BlockScope, list[str]] = defaultdict(list)
    for reader in sorted(by_reader):
        for scope in _scopes_of(block, by_reader[reader]):
            readers[scope].append(reader)
    yield from (replace(scope, readers=tuple(those)) for scope, those in readers.items())


def _scopes_of(block: Where, tests: Tests) -> Iterator[BlockScope]:
    columns = tuple(sorted({name for seen in tests.values() for extent in seen.values() for name in extent.columns}))
    scope = BlockScope(columns, block.readers, _planners(block, tests), block.releases)
    runs = {run for seen in tests.values() for run in seen}
    if block.component != XTABLE:
        yield scope
        return
    alone = [run for run in runs if IN_PLACE not in run]
    if alone:
        yield replace(scope, releases=_range(alone))
    since: dict[str, list[str]] = defaultdict(list)
    for run in sorted(runs.difference(alone)):
        before, _, release = run.partition(IN_PLACE)
        if release not in alone:  # what a release shows, it shows after an upgrade too
            since[release].append(before)
    for before_it, releases in groupby(sorted(since, key=lambda one: (since[one], one)), key=since.__getitem__):
        yield replace(scope, releases=_range(releases), upgrade_from=_range(before_it))


def _range(releases: Iterable[str]) -> SpecifierSet:
    """`>=0.2,<0.5` for 0.2.0 to 0.4.0; `>=0.2,<0.5,!=0.3.*` without 0.3.0."""
    versions = sorted(map(Version, releases))
    first, last = versions[0], versions[-1]
    between = {(first.major, minor) for minor in range(first.minor, last.minor)} if first.major == last.major else set()
    without = between - {(one.major, one.minor) for one in versions}
    less = "".join(f",!={major}.{minor}.*" for major, minor in sorted(without))
    return SpecifierSet(f">={first.major}.{first.minor},<{last.major}.{last.minor + 1}{less}")
