"""What follows from what a check saw: the fault is present, gone, or could not be tried.

The fault is present only if the claim that its page leads with fails, at the verdict that the page gives for this
release, after syncs that came through. `result.json` keeps the answer.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

HERE = Path.cwd()
PRESENT, GONE, NOT_TRIED = 10, 0, 6
OF_FAILING_SYNCS = {"every_sync_comes_through", "metadata_and_data_files_can_be_read"}
"""Where a finding is about one of these, failed syncs are the fault itself; elsewhere nothing rests on them."""


@dataclass
class Fails:
    """A claim that fails. `verdict` is empty for the one that breaking the claim usually has."""

    claim: str
    where: str
    column: str = ""
    verdict: str = ""
    after: int = 0
    """The sync that leaves the state in question; 0 for the last one."""


@dataclass
class Seen:
    """What became of one claim of the finding."""

    claim: str
    fails: list[Fails]
    why_not: str = ""
    """Why it could not be tried; empty if it was."""


def headline_of(fault: Mapping[str, Any], release: str) -> dict[str, Any]:
    """The claim and verdict of this release; of the newest that has the finding where none is registered for it."""
    of: dict[str, dict[str, Any]] = fault["headline"]
    return of.get(release) or list(of.values())[-1]


def decide(
    fault: Mapping[str, Any],
    found: Iterable[Fails],
    *,
    release: str = "",
    checked: set[str],
    syncs: Sequence[Mapping[str, Any]] = (),
    why_no_sync: str = "",
) -> int:
    """Prints each claim of the finding as seen, not seen or not tried, and the answer; returns the exit status.

    `checked` are the claims that the script looks for; `syncs` says of each sync how it ended.
    """
    usual = {one["claim"]: one["breaks"] for one in fault["claims"]}
    every = [*found]
    for one in every:
        one.verdict = one.verdict or usual.get(one.claim, "")
    failed = [number for number, one in enumerate(syncs, start=1) if one["exit"]]
    about_syncs = OF_FAILING_SYNCS & {one["claim"] for one in fault["claims"]}
    headline = headline_of(fault, release)
    claims = [*_seen(fault, every, checked, [] if about_syncs else failed, len(syncs))]
    ours = {id(fails) for one in claims for fails in one.fails}
    beside = sorted({one.claim for one in every if id(one) not in ours and one.claim not in OF_FAILING_SYNCS})
    print("\nThe finding's claims:")
    for claim in sorted(claims, key=lambda seen: seen.claim != headline["claim"]):
        _print(claim, "* " if claim.claim == headline["claim"] else "  ")
    words, status, why = _answer(claims, headline, failed, why_no_sync)
    if status == GONE and beside:
        why += f"; ANOTHER FAULT: {', '.join(beside)}"
    print(f"\n{words}: {fault['id']}: {why}")
    _keep(fault, words, headline, claims, why)
    return status


def could_not_run(fault: Mapping[str, Any], why: str, release: str = "") -> int:
    """Says why nothing could be compared, keeps it, and returns the exit status."""
    print(f"\nCOULD NOT RUN: {fault['id']}: {why}")
    _keep(fault, "COULD NOT RUN", headline_of(fault, release), [], why)
    return NOT_TRIED


def _seen(
    fault: Mapping[str, Any], found: Sequence[Fails], checked: set[str], failed: Sequence[int], last: int
) -> Iterator[Seen]:
    """Each claim of the finding. What rests on a failed sync was not tried."""
    for known in fault["claims"]:
        fails = [one for one in found if one.claim == known["claim"] and _names(known["columns"], one.column)]
        sound = [one for one in fails if not any(number <= (one.after or last) for number in failed)]
        if known["claim"] not in checked:
            yield Seen(known["claim"], [], "this script does not look for it")
        elif failed and not sound:
            yield Seen(known["claim"], [], f"sync {failed[0]} of {last} fails")
        else:
            yield Seen(known["claim"], sound)


def _names(patterns: Sequence[str], column: str) -> bool:
    return not patterns or not column or any(fnmatchcase(column, one) for one in patterns)


def _answer(
    claims: Sequence[Seen], headline: Mapping[str, Any], failed: Sequence[int], why_no_sync: str
) -> tuple[str, int, str]:
    """The word, the exit status, and the reason."""
    wanted = f"{headline['claim']} at {headline['verdict']}"
    mine = next(one for one in claims if one.claim == headline["claim"])
    verdicts = _verdicts(mine)
    if headline["verdict"] in verdicts:
        return "FAULT PRESENT", PRESENT, f"{wanted}, as its page says"
    if mine.why_not and failed:
        return "SYNC FAILED", NOT_TRIED, f"{wanted} could not be tried: {mine.why_not}. {why_no_sync}".strip()
    if mine.why_not:
        return "NOT CHECKED", NOT_TRIED, f"{wanted}: {mine.why_not}"
    others = [f"{one.claim} at {verdict}" for one in claims for verdict in _verdicts(one)]
    if others:
        return "ANOTHER FORM", NOT_TRIED, f"not {wanted}, but {', '.join(others)}"
    return "FAULT GONE", GONE, f"not {wanted}"


def _verdicts(claim: Seen) -> list[str]:
    return sorted({one.verdict for one in claim.fails})


def _print(claim: Seen, mark: str) -> None:
    if claim.why_not:
        print(f"{mark}could not be tried  {claim.claim}: {claim.why_not}")
    elif not claim.fails:
        print(f"{mark}not seen            {claim.claim}")
    for one in claim.fails[:3]:
        print(f"{mark}seen                {claim.claim} at {one.verdict}: {one.where}")
    if len(claim.fails) > 3:
        print(f"{'':22}and {len(claim.fails) - 3} more like this")


def _keep(fault: Mapping[str, Any], words: str, headline: Mapping[str, Any], claims: Sequence[Seen], why: str) -> None:
    kept = {
        "id": fault["id"],
        "ended": words,
        "claim": headline["claim"],
        "verdict": headline["verdict"],
        "why": why,
        "claims": {one.claim: one.why_not or _verdicts(one) for one in claims},
    }
    (HERE / "result.json").write_text(json.dumps(kept, indent=1) + "\n")
