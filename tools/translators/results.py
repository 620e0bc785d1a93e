"""What each translator made of each table, as docs/translators.json has it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tools.translators.translator import Translator
from xtable_audit.model.finding import WRONG_ANSWERS, Verdict


@dataclass(frozen=True)
class Fault:
    """A claim that fails for itself on a table, not by the failure of another."""

    claim: str
    verdict: Verdict
    columns: tuple[str, ...]
    files: int
    """Files of the table that show it."""
    known: str | None
    """The entry of the register that `xtable-audit check` names for it."""


@dataclass(frozen=True)
class Made:
    """What a translator made of a table: a refusal in its own words, or a translation with its faults."""

    table: str
    format: str
    refused: str = ""
    faults: tuple[Fault, ...] = ()
    held: int = 0
    """How many claims hold."""
    unsure: tuple[str, ...] = ()
    """Claims that could not be judged, each with the reason."""

    @property
    def worst(self) -> Verdict | None:
        return min((one.verdict for one in self.faults), key=[*Verdict].index, default=None)

    @property
    def is_wrong(self) -> bool:
        """Whether readers return other rows than the source has, or an error."""
        return self.worst in WRONG_ANSWERS | {Verdict.UNREADABLE, Verdict.FAILED_SILENTLY}

    def __str__(self) -> str:
        if self.refused:
            return f"{self.table}: refused: {self.refused}"
        found = (f"{one.verdict} {one.claim} {', '.join(one.columns)}".strip() for one in self.faults)
        return f"{self.table}: {'; '.join((*found, *self.unsure)) or f'nothing found, {self.held} claims hold'}"


@dataclass(frozen=True)
class Score:
    """All that one translator made, in the order of the tables' names."""

    id: str
    words: str
    version: str
    takes: tuple[str, ...]
    needs: tuple[str, ...]
    asked: str
    on: str
    """The day on which it ran, as in ISO 8601."""
    made: tuple[Made, ...]

    @classmethod
    def of(cls, one: Translator, on: str, made: Iterable[Made]) -> Score:
        in_order = tuple(sorted(made, key=lambda each: each.table))
        return cls(one.id, one.words, one.version, one.takes, one.needs, one.asked, on, in_order)

    def of_format(self, format: str) -> tuple[Made, ...]:
        return tuple(one for one in self.made if one.format == format)


def save(scores: Iterable[Score], path: Path) -> None:
    """A line for each table, so that a difference shows which one changed."""
    path.write_text("[\n" + ",\n".join(map(_text, scores)) + "\n]\n", encoding="utf-8")


def _text(score: Score) -> str:
    facts = asdict(score)
    made = ",\n ".join(json.dumps(one, ensure_ascii=False) for one in facts.pop("made"))
    return f'{json.dumps(facts, ensure_ascii=False)[:-1]}, "made": [\n {made}\n]}}'


def load(path: Path) -> list[Score]:
    return [_score(facts) for facts in json.loads(path.read_text(encoding="utf-8"))] if path.is_file() else []


def with_those(scores: Iterable[Score], fresh: Iterable[Score], order: Iterable[str]) -> Iterator[Score]:
    """The scores, those of `fresh` in place of the same translators', in the order of their ids; no others."""
    known = {one.id: one for one in (*scores, *fresh)}
    yield from (known[id] for id in order if id in known)


def _score(facts: dict[str, Any]) -> Score:
    lists = {"takes": tuple(facts["takes"]), "needs": tuple(facts["needs"]), "made": tuple(map(_made, facts["made"]))}
    return Score(**facts | lists)


def _made(facts: dict[str, Any]) -> Made:
    faults = tuple(
        Fault(**one | {"verdict": Verdict(one["verdict"]), "columns": tuple(one["columns"])})
        for one in facts.pop("faults")
    )
    return Made(**facts | {"faults": faults, "unsure": tuple(facts["unsure"])})
