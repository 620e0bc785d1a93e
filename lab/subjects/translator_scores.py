"""What each translator, XTable and others, made of each recorded table, as docs/translators.json has it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from lab.stack.project import ROOT
from xtable_audit.model.finding import WRONG_ANSWERS, Verdict

RESULTS = ROOT / "docs" / "translators.json"
XTABLE = "xtable"


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
    follows: tuple[str, ...] = ()
    """Claims that fail, or are not judged, because another one fails."""
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

    @property
    def name(self) -> str:
        """As Markdown, with the version where it runs in several: "`add_files` of PyIceberg 0.12.0"."""
        return f"{self.words} {self.version.partition(',')[0].rpartition(' ')[2].removesuffix('-incubating')}"

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
    lists = {name: tuple(facts[name]) for name in ("follows", "unsure")}
    return Made(**facts | lists | {"faults": faults})


class OtherTranslation(StrEnum):
    """How another translator fares, on a table, with claims of which one fails there for XTable."""

    RIGHT = "right in this"
    ALIKE = "wrong in this, too"
    REFUSED = "refuses the table"
    UNJUDGED = "not judged"
    """What else is wrong there hides whether the claims hold."""

    @classmethod
    def of(cls, made: Made, claims: Collection[str]) -> OtherTranslation:
        if made.refused:
            return cls.REFUSED
        if any(one.claim in claims for one in made.faults):
            return cls.ALIKE
        hidden = {*made.follows, *(words.partition(":")[0] for words in made.unsure)}
        return cls.UNJUDGED if hidden & {*claims} else cls.RIGHT


def others(table: str, claims: Collection[str]) -> Mapping[str, OtherTranslation]:
    """How other translators fare on the table's recording with claims of which one fails there for XTable, by name.

    Empty if none fails for XTable as it is asked here, nor does it refuse the table: what only its later syncs get
    wrong, others were not asked for.
    """
    fare = {name: OtherTranslation.of(made, claims) for name, made in _made_of().get(table, {}).items()}
    if fare.pop(XTABLE, OtherTranslation.RIGHT) not in (OtherTranslation.ALIKE, OtherTranslation.REFUSED):
        return {}
    return fare


@cache
def _made_of() -> Mapping[str, Mapping[str, Made]]:
    """By table, and by the translator's name; XTable's is its id."""
    made: dict[str, dict[str, Made]] = defaultdict(dict)
    for score in load(RESULTS):
        for one in score.made:
            made[one.table][score.name if score.id != XTABLE else XTABLE] = one
    return made
