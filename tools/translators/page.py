"""docs/translators.md: what lies between its two marks is made of docs/translators.json."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from lab.stack.project import ROOT
from lab.subjects.translator_scores import Made, Score
from tools.pages.marks import with_part
from xtable_audit.claims.readable import Opened
from xtable_audit.formats.installed import DEFAULT, target_formats
from xtable_audit.model.claim import claims_about
from xtable_audit.model.finding import WRONG_ANSWERS, Verdict

PAGE = ROOT / "docs" / "translators.md"
BEGIN, END = "<!-- the scoreboard, by python -m tools translators --page -->", "<!-- end of the scoreboard -->"
TITLES = {"PARQUET": "Folders of Parquet files", "DELTA": "Delta tables", "PAIMON": "Paimon tables"}
NOTHING = "·"
EFFECTS = ("wrong results", "cannot be read", "extra reads at most", "right")
"""Worst first."""


def with_scores(text: str, scores: Sequence[Score]) -> str:
    """The page with the scoreboard of these scores. Raises ValueError if it has no place for one."""
    return with_part(text, BEGIN, END, "\n".join(("", *_lines(scores), "")), PAGE)


def effect(worst: Verdict | None) -> str:
    """What a reader meets in a table that nothing worse than this is wrong with: one of EFFECTS."""
    if worst in WRONG_ANSWERS:
        return "wrong results"
    if worst in (Verdict.UNREADABLE, Verdict.FAILED_SILENTLY):
        return "cannot be read"
    return "extra reads at most" if worst is Verdict.LOOSE else "right"


def _lines(scores: Sequence[Score]) -> Iterator[str]:
    for format, title in TITLES.items():
        of = [one for one in scores if one.of_format(format)]
        if of:
            yield from ("", f"## {title}", "", *_summary(of, format), "", *_claims(of, format))
            yield from ("", "Tables that one of them refuses, or translates wrongly:", "", *_tables(of, format))
    yield from ("", "## Each translator, and what it refuses", "")
    for one in scores:
        yield from _one(one)


def _summary(scores: Sequence[Score], format: str) -> Iterator[str]:
    heads = ("tables", "refused", "translated", *EFFECTS)
    yield row("translator", *heads)
    yield rule(len(heads) + 1)
    for one in scores:
        made = one.of_format(format)
        through = [each for each in made if not each.refused]
        effects = Counter(effect(each.worst) for each in through)
        counts = (len(made), len(made) - len(through), len(through), *(effects[one] for one in EFFECTS))
        yield row(one.name, *map(str, counts))


def _claims(scores: Sequence[Score], format: str) -> Iterator[str]:
    yield row("tables wrong of tables translated", *(one.name for one in scores))
    yield rule(len(scores) + 1)
    verdicts: dict[str, set[Verdict]] = defaultdict(set)
    wrong: dict[str, Counter[str]] = {one.id: Counter() for one in scores}
    for one in scores:
        for each in one.of_format(format):
            for fault in each.faults:
                verdicts[fault.claim].add(fault.verdict)
                wrong[one.id][fault.claim] += 1
    order = [*Verdict]
    sentences = {id: one.sentence for id, one in claims_about(Opened).items()}
    sentences |= {id: one.sentence for id, one in target_formats()[DEFAULT].check.claims.items()}
    for claim, found in sorted(verdicts.items(), key=lambda each: (min(map(order.index, each[1])), each[0])):
        words = " or ".join(dict.fromkeys(each.words for each in sorted(found, key=order.index)))
        yield row(
            f"{sentences[claim]}: **{words}**", *(_part(wrong[one.id][claim], one.of_format(format)) for one in scores)
        )


def _part(wrong: int, made: Sequence[Made]) -> str:
    return f"{wrong} of {sum(not each.refused for each in made)}" if wrong else NOTHING


def _tables(scores: Sequence[Score], format: str) -> Iterator[str]:
    yield row("table", *(one.name for one in scores))
    yield rule(len(scores) + 1)
    made = {one.id: {each.table: each for each in one.of_format(format)} for one in scores}
    for name in sorted({name for each in made.values() for name in each}):
        cells = [made[one.id].get(name) for one in scores]
        if any(each is not None and (each.refused or each.is_wrong) for each in cells):
            yield row(f"`{name}`", *map(_cell, cells))


def _cell(made: Made | None) -> str:
    if made is None:
        return "not tried"
    if made.refused:
        return "refused"
    columns = sorted({name for one in made.faults if one.verdict is made.worst for name in one.columns})
    if made.worst in (None, Verdict.COSMETIC):
        return "right"
    return f"{'**' * made.is_wrong}{made.worst.words}{'**' * made.is_wrong} {', '.join(columns)}".strip()


def _one(score: Score) -> Iterator[str]:
    yield f"**{score.name}** ({score.version}; ran on {score.on}; `--only {score.id}`). {score.asked}"
    yield f"Needs {', '.join(f'`{one}`' for one in score.needs)}. {_refusals(score.made)}"
    yield ""
    by_words: dict[str, list[str]] = defaultdict(list)
    for one in score.made:
        if one.refused:
            by_words[one.refused.replace(one.table, "TABLE")].append(one.table)
    yield from (f"* {', '.join(f'`{name}`' for name in names)}: `{_code(words)}`" for words, names in by_words.items())
    if by_words:
        yield ""
    unsure = [f"* `{one.table}` is not judged by `{_code(words)}`" for one in score.made for words in one.unsure]
    yield from (*unsure, "") if unsure else ()


def _refusals(made: Iterable[Made]) -> str:
    refused = sum(bool(one.refused) for one in made)
    return f"It refuses {refused} of these tables, in its own words:" if refused else "It refuses none of these tables."


def _code(words: str) -> str:
    return words.replace("`", "'").replace("|", "/")


def row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


rule = partial(lambda cells: "|---" * cells + "|")
