"""docs/findings/reproduced.md: how the reproduction of each finding ended at each release, from reproduced.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tools.reproduce.finding import headlines
from tools.reproduce.results import GONE, PRESENT, Reproduction, Result, of_finding
from tools.reproduce.trials import script_of
from xtable_audit.register.entry import Entry
from xtable_audit.report.markdown import cell
from xtable_audit.report.pages import GENERATED

TABLE = "reproduced.md"
BY_READING = "by reading"


def reproduced(entries: Sequence[Entry], results: Mapping[Reproduction, Result]) -> str:
    """The page. Trials of findings that are gone from the register are left out."""
    ids = {entry.id for entry in entries}
    kept = {trial: result for trial, result in results.items() if trial.finding in ids}
    scripts = {entry.id: script_of(entry) for entry in entries}
    lines = [
        GENERATED,
        "# Findings, reproduced",
        "",
        *_head(kept, scripts),
        "",
        "| finding | software | claim of its page | trial: how it ended |",
        "|---|---|---|---|",
        *(_row(entry, of_finding(dict(kept), entry.id)) for entry in entries),
        "",
        "## What could not be tried",
        "",
        *_untried(kept),
        "",
        "## What was run",
        "",
        "Digests are of the names and checksums of all classes in the jars `xtable-*.jar` or `hudi-*.jar`.",
        "",
        "| software | release | digest of its classes | trials | days |",
        "|---|---|---|---|---|",
        *_software(kept),
    ]
    return "\n".join(lines) + "\n"


def _head(kept: Mapping[Reproduction, Result], scripts: Mapping[str, str]) -> Iterator[str]:
    if not kept:
        yield "Nothing was run yet: `python -m tools reproduce.every`."
        return
    ended = [result.ended for result in kept.values()]
    days = sorted(result.day for result in kept.values())
    span = days[0].isoformat() if days[0] == days[-1] else f"{days[0].isoformat()} to {days[-1].isoformat()}"
    old = sum(result.script != scripts[trial.finding] for trial, result in kept.items())
    present, gone = ended.count(PRESENT), ended.count(GONE)
    untried = len(kept) - present - gone
    yield f"{len(kept)} trials, run {span}: {present} present, {gone} gone, {untried} could not be tried."
    yield from WHAT_A_TRIAL_IS.splitlines()
    yield f"{old} of them ran an earlier form of their script." if old else "All ran their script as it is now."


WHAT_A_TRIAL_IS = """\
Each is `make reproduce` of a finding at one release, or of a build of main: Spark, a fresh JVM for each sync, then a
comparison without this suite's judge. A verdict means that the claim of the finding's page failed at that verdict, on
the page's table, after syncs that came through. *warm*: each JVM first loads what one that has run many syncs has.
*synced anew*: at the end what XTable wrote was dropped, and the table synced once in a fresh JVM.
`make reproduced` runs what is due and goes on where it was stopped; what does not resolve stays as it is."""


def _row(entry: Entry, trials: Mapping[Reproduction, Result]) -> str:
    shown = list(headlines(entry).values())
    claim = f"`{shown[-1].claim}`" if shown else "the reader's answer"
    software = ", ".join(dict.fromkeys(trial.component for trial in trials))
    outcomes = " · ".join(f"{_release(trial)} {_ended(result)}" for trial, result in sorted(trials.items()))
    return f"| [{entry.id}]({entry.id}.md) | {software} | {claim} | {cell(outcomes or BY_READING)} |"


def _release(trial: Reproduction) -> str:
    first = f"{trial.first} → " if trial.first else ""
    return f"{first}{trial.release}{' warm' if trial.warm else ''}{' → synced anew' if trial.recovered else ''}"


def _ended(result: Result) -> str:
    match result.ended:
        case "FAULT PRESENT":
            return f"**{result.verdict}**"
        case "FAULT GONE":
            return "gone"
        case _:
            return "not tried"


def _untried(kept: Mapping[Reproduction, Result]) -> Iterator[str]:
    untried = {trial: result for trial, result in sorted(kept.items()) if result.ended not in (PRESENT, GONE)}
    for trial, result in untried.items():
        yield f"- {trial}: {result.ended}: {' '.join(result.why.split()).replace('|', '/')}"
    if not untried:
        yield "Nothing: every trial ended as present or gone."


def _software(kept: Mapping[Reproduction, Result]) -> Iterator[str]:
    groups: dict[tuple[str, str, str], list[Result]] = {}
    for trial, result in sorted(kept.items()):
        groups.setdefault((trial.component, trial.release, result.digest), []).append(result)
    for (component, release, digest), results in groups.items():
        days = ", ".join(dict.fromkeys(result.day.isoformat() for result in sorted(results, key=lambda one: one.day)))
        yield f"| {component} | {release} | `{digest}` | {len(results)} | {days} |"
