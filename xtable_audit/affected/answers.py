"""Answers of yes and no, with what shows them."""

from __future__ import annotations

from collections.abc import Iterable

from xtable_audit.affected.source import Answer, Shown
from xtable_audit.model.figures import few

NAMED = 3
"""So many examples are named."""


def yes_if(holds: bool, by: str = "") -> Shown:
    return Shown(Answer.YES, by) if holds else Shown(Answer.NO)


def open_if(undecided: bool, by: str) -> Shown:
    return Shown(Answer.OPEN, by) if undecided else Shown(Answer.NO)


def some(found: Iterable[str], what: str = "") -> Shown:
    """Yes if there is any, with the first few."""
    named = list(dict.fromkeys(found))
    return yes_if(bool(named), f"{what}{few(named, NAMED)}")
