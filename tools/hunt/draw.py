"""Histories that Hypothesis draws until one fails, and shrinks: Hudi can make every move on the table as it is then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from spark_jobs.battery.moves import Kind, Move
from xtable_audit.model.finding import Finding

PARTS = ("a", "b", "c", "d")
MOST_KEYS = 3
"""Most keys that one move writes or deletes."""
SOUND: tuple[Kind, ...] = (
    "upsert",
    "insert",
    "delete",
    "overwrite",
    "drop",
    "cluster",
    "savepoint",
    "rollback",
    "restore",
)
"""Moves without a known finding: every claim must hold on a history of these."""
KINDS: tuple[Kind, ...] = (*SOUND, "overwrite_table", "rollback_rewrite", "restore_rewrite")
ONE_FILE_IN_EACH = ("a", frozenset({"a1", "a2", "a3"})), ("b", frozenset({"b1", "b2"}))

File = tuple[str, frozenset[str]]


@dataclass(frozen=True)
class Undo:
    """An earlier state of the table. `plain` is whether the commits since then only added files."""

    files: tuple[File, ...]
    plain: bool = True


@dataclass(frozen=True)
class DrawnTable:
    """The base files that a table has: each one's partition and keys.

    `last` undoes the last commit, `saved` all since the savepoint. `unseen` is whether no sync has followed the last
    commit, `all_unseen` whether none has followed the savepoint, `moved_on` whether any commit has.
    """

    files: tuple[File, ...] = ONE_FILE_IN_EACH
    last: Undo | None = None
    saved: Undo | None = None
    can_be_saved: bool = True
    unseen: bool = False
    all_unseen: bool = True
    moved_on: bool = False

    @property
    def keys(self) -> frozenset[str]:
        return frozenset[str]().union(*(keys for _, keys in self.files))

    @property
    def parts(self) -> list[str]:
        return sorted({part for part, _ in self.files})

    def of(self, part: str) -> list[str]:
        return sorted(key for home, keys in self.files if home == part for key in keys)

    @property
    def can_be_clustered(self) -> bool:
        return len(self.files) > len(self.parts)

    def kinds(self, among: Sequence[Kind]) -> list[Kind]:
        """The moves that are possible now; rarely possible ones appear more than once."""
        possible = {
            "delete": any(len(keys) > 1 for _, keys in self.files),
            "drop": len(self.parts) > 1,
            "cluster": self.can_be_clustered,
            "savepoint": self.can_be_saved and self.saved is None,
            "rollback": self.last is not None and (self.last.plain or self.unseen),
            "rollback_rewrite": self.last is not None and not (self.last.plain or self.unseen),
            "restore": self.saved is not None and self.moved_on and (self.saved.plain or self.all_unseen),
            "restore_rewrite": self.saved is not None and self.moved_on and not (self.saved.plain or self.all_unseen),
        }
        rare: list[Kind] = [kind for kind in ("cluster", "rollback", "restore") if kind in among and possible[kind]] * 3
        return [kind for kind in (*among, *rare) if possible.get(kind, True)]

    def after(self, move: Move) -> DrawnTable:
        match move.do:
            case "savepoint":
                return DrawnTable(self.files, saved=Undo(self.files), can_be_saved=False, all_unseen=not move.seen)
            case "rollback" | "rollback_rewrite":
                assert self.last is not None
                unseen = self.all_unseen and not move.seen
                return replace(self, files=self.last.files, last=None, can_be_saved=False, all_unseen=unseen)
            case "restore" | "restore_rewrite":
                assert self.saved is not None
                return DrawnTable(self.saved.files, saved=self.saved, can_be_saved=False, all_unseen=False)
        plain = move.do == "insert" or (move.do == "upsert" and not self.keys & set(move.keys))
        return DrawnTable(
            files=self._files_after(move),
            last=Undo(self.files, plain),
            saved=self.saved and replace(self.saved, plain=self.saved.plain and plain),
            unseen=not move.seen,
            all_unseen=self.all_unseen and not move.seen,
            moved_on=True,
        )

    def _files_after(self, move: Move) -> tuple[File, ...]:
        keys = frozenset(move.keys)
        elsewhere = tuple(file for file in self.files if file[0] != move.part)
        match move.do:
            case "upsert" | "insert":
                new = keys - self.keys
                return (*self.files, (move.part, new)) if new else self.files
            case "delete":
                return tuple((part, held - keys) for part, held in self.files)
            case "overwrite":
                return (*elsewhere, (move.part, keys))
            case "overwrite_table":
                return ((move.part, keys),)
            case "drop":
                return elsewhere
            case "cluster":
                return tuple((part, frozenset(self.of(part))) for part in self.parts)
        raise ValueError(f"{move.do} leaves the files as they were")


@st.composite
def histories(draw: DrawFn, among: Sequence[Kind] = SOUND, longest: int = 5) -> tuple[Move, ...]:
    """One to `longest` moves. A sync always follows the last one."""
    table, moves = DrawnTable(), list[Move]()
    for _ in range(draw(st.integers(1, longest))):
        move = draw(_move(table, among))
        table = table.after(move)
        moves.append(move)
    last = moves.pop()
    return (*moves, Move(last.do, last.part, last.keys))


@st.composite
def _move(draw: DrawFn, table: DrawnTable, among: Sequence[Kind]) -> Move:
    kind = draw(st.sampled_from(table.kinds(among)))
    seen = draw(st.sampled_from([True, True, False]))
    match kind:
        case "cluster" | "savepoint" | "rollback" | "rollback_rewrite" | "restore" | "restore_rewrite":
            return Move(kind, seen=seen)
        case "drop":
            return Move(kind, draw(st.sampled_from(table.parts)), seen=seen)
        case "delete":
            part, held = draw(st.sampled_from([file for file in table.files if len(file[1]) > 1]))
            return Move(kind, part, draw(_some(sorted(held), len(held) - 1)), seen)
    part = draw(st.sampled_from([*table.parts, *PARTS]))
    new = [key for number in range(1, 100) if (key := f"{part}{number}") not in table.keys]
    old = table.of(part) if kind in ("upsert", "overwrite", "overwrite_table") else []
    return Move(kind, part, draw(_some([*old, *new[:MOST_KEYS]], MOST_KEYS)), seen)


def _some(keys: Sequence[str], most: int) -> SearchStrategy[tuple[str, ...]]:
    """One to `most` of the keys, in their order."""
    chosen = st.lists(st.sampled_from(keys), min_size=1, max_size=min(most, len(keys)), unique=True)
    return chosen.map(lambda found: tuple(sorted(found)))


History = tuple[Move, ...]
Try = Callable[[History], Sequence[Finding]]
"""Writes, translates and judges a history; returns the findings."""


class _Fails(Exception):
    """A claim fails on a history."""


@dataclass
class Hunt:
    """The histories tried, in order, and the findings on each."""

    trial: Try
    drawn: int
    shrinks: int
    tried: dict[History, Sequence[Finding]] = field(default_factory=dict)

    @property
    def failing(self) -> History | None:
        """The shortest history that fails."""
        failing = [moves for moves, found in self.tried.items() if found]
        return min(failing, key=_length) if failing else None

    def on(self, histories: SearchStrategy[History]) -> None:
        """Draws at most `drawn` histories, always the same; shrinks the first that fails, in `shrinks` trials."""

        @settings(
            derandomize=True,
            database=None,
            max_examples=self.drawn,
            deadline=None,
            phases=[Phase.generate, Phase.shrink],
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        )
        @given(histories)
        def every_claim_holds(moves: History) -> None:
            if self._found(moves):
                raise _Fails

        try:
            every_claim_holds()
        except _Fails:
            return  # `failing` has it

    def _found(self, moves: History) -> Sequence[Finding]:
        """Each history is tried once. Beyond the budget, untried ones count as passing."""
        if moves in self.tried:
            return self.tried[moves]
        if self._spent():
            return ()
        self.tried[moves] = self.trial(moves)
        return self.tried[moves]

    def _spent(self) -> bool:
        first = next((place for place, found in enumerate(self.tried.values(), start=1) if found), None)
        return first is not None and len(self.tried) - first >= self.shrinks


def _length(moves: History) -> tuple[int, int, int]:
    return len(moves), sum(len(move.keys) for move in moves), sum(not move.seen for move in moves)
