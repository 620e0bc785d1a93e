"""The first screen of a run, for a lead: at most 80 columns and 40 lines, the verdict at the top and at the end."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from xtable_audit.model.figures import many
from xtable_audit.model.finding import SEVERITY, Finding, Verdict
from xtable_audit.model.outcome import Outcome, RunVerdict
from xtable_audit.model.result import Owner
from xtable_audit.report import beside_findings
from xtable_audit.report.document import Document
from xtable_audit.report.groups import FindingGroup, known_findings, new_findings
from xtable_audit.report.reader_answers import predicates_tried
from xtable_audit.report.text import elided
from xtable_audit.report.what_to_do import NO_REMEDY

ICEBERG = ("Iceberg",)
"""The only target of a run without options."""
WIDTH, HEIGHT = 80, 40
"""Columns and lines of the whole screen."""
FEW, ROWS = 2, 2
"""Maximum reasons, and gone entries, that the screen lists; maximum rows of each."""
LONGEST_WORD = 40
"""Characters of an address that it shows."""
LISTED = 2
"""Ids of known findings that stand in full; of more, the first and the last."""
NEW = 4
"""Maximum claims with new findings that the screen lists."""
NAMES = {Owner.READERS: "readers", Owner.WRITER: "the writer", Owner.OTHERS: "sources and settings"}
LEAST_ROOM = 8
"""Rows that XTable's known findings need: their number, and two of them."""
STYLES = {
    RunVerdict.CONFORMANT: "bold green",
    RunVerdict.KNOWN_DEFECTS: "bold yellow",
    RunVerdict.ADVICE: "bold yellow",
    RunVerdict.FINDINGS: "bold red",
    RunVerdict.INCONCLUSIVE: "bold yellow",
    RunVerdict.ERROR: "bold red",
}


def print_first_screen(console: Console, document: Document, report: str) -> None:
    """`report` names the run's report.html or audit.json. The caller prints the line of `headline` above it."""
    for line in first_screen(document, report):
        console.print(line, no_wrap=True, overflow="ellipsis", width=WIDTH)


def headline(document: Document) -> str:
    """The screen's first line: what is audited, and whether it runs live."""
    run, translation = document.run, document.translation
    return head(translation.release, translation.mode, translation.recorded_on, run.store, run.targets)


def head(release: str, mode: str, recorded_on: str | None, store: str, targets: Sequence[str] = ICEBERG) -> str:
    """Names the targets unless Iceberg is the only one."""
    xtable = f"XTable {release}" if tuple(targets) == ICEBERG else f"XTable {release} · to {' and '.join(targets)}"
    match mode:
        case "live":
            return f"{xtable} · live · store: {store}"
        case "recorded":
            return f"{xtable} · {_replay(recorded_on)}, not run here"
        case _:
            return f"{xtable} · not run: it does not resolve here"


def _replay(recorded_on: str | None) -> str:
    return f"REPLAY OF {recorded_on}"


def first_screen(document: Document, report: str) -> list[Text]:
    """The lines below the headline."""
    top = [closing(document), *_text(counts(document)), *_text(why_not_live(document))]
    top += [*_text(sources(document)), *_text(translations(document))]
    top += [line for note in document.notes for line in _text(note)]
    known = known_findings(document)
    bottom = [
        *_others(known),
        Text(f"Report: {report} · all files of the run beside it · more by -v"),
        closing(document),
    ]
    for rows in (ROWS, 1):
        middle = list(_new(document))
        middle += [
            line for title, lines in beside_findings.listed(document).items() for line in _listed(title, lines, rows)
        ]
        room = HEIGHT - len([headline(document), *top, *middle, *bottom])
        if room >= LEAST_ROOM:
            break
    return [*top, *middle, *_hits([one for one in known if one.owner is Owner.XTABLE], room), *bottom]


def closing(document: Document) -> Text:
    """The verdict with its exit status, in one line, which also says that the run is a replay."""
    status = f" · exit {document.exit_status}" if document.complete else ""
    if document.failing_on and document.verdict is RunVerdict.KNOWN_DEFECTS:
        status += f" by --fail-on {document.run.fail_on}"
    if document.translation.mode == "recorded":
        status += f" · {_replay(document.translation.recorded_on)}"
    return Text.assemble((verdict_words(document), STYLES[document.verdict]), status)


def verdict_words(document: Document) -> str:
    """The verdict of a run of the suite, in words."""
    match document.verdict:
        case RunVerdict.CONFORMANT:
            return "CONFORMANT: every selected claim holds"
        case RunVerdict.KNOWN_DEFECTS | RunVerdict.ADVICE:
            return "KNOWN DEFECTS, nothing new"
        case RunVerdict.FINDINGS:
            numbers = (("new", len(new_findings(document))), ("registered but gone", document.count(Outcome.GONE)))
            return "FINDINGS: " + ", ".join(f"{number:,} {what}" for what, number in numbers if number)
        case RunVerdict.INCONCLUSIVE:
            stopped = document.count(Outcome.INCONCLUSIVE)
            why = f"{many(stopped, 'claim')} could not run" if stopped else "no selected claim was judged"
            return f"INCONCLUSIVE: {why}; that is no pass"
        case RunVerdict.ERROR:
            return "ERROR: the suite itself failed" if document.complete else "ERROR: the run was cut short"


def counts(document: Document) -> str:
    """How many claims hold, fail and do not apply; how many of those that fail follow from another one."""
    number = document.counts
    echoes = sum(result.follows for result in document.claims if result.outcome is Outcome.KNOWN)
    follow = sum(result.follows for result in document.claims if result.outcome is Outcome.FINDING)
    only = f" ({echoes:,} only because their table cannot be read)" if echoes else ""
    parts = [f"{number.held:,} held", f"{number.known:,} failing as registered{only}"]
    parts += [f"{follow:,} unchecked because of a new finding"] if follow else []
    parts += [f"{number.not_applicable:,} not applicable"] if number.not_applicable else []
    parts += [f"{number.inconclusive:,} could not run"]
    parts += [many(number.error, "error") + " of the suite"] if number.error else []
    tried, losing = predicates_tried(document)
    lost = f" {losing:,} of {many(tried, 'predicate')} tried lose rows." if tried else ""
    return f"{many(len(document.claims), 'claim')}: {' · '.join(parts)}.{lost}"


def why_not_live(document: Document) -> str:
    translation = document.translation
    if not translation.reason:
        return ""
    gate = " A replay answers no gate." if translation.mode == "recorded" else ""
    return f"XTable is not run: {translation.reason}.{gate}"


def sources(document: Document) -> str:
    """How many source tables of a live run are restored from recordings, and how many Spark wrote."""
    if document.translation.mode == "recorded" or not document.source_recorded_on:
        return ""
    days = list(document.source_recorded_on.values())
    written = days.count(None)
    parts = [f"{len(days) - written:,} from recordings"] if written < len(days) else []
    parts += [f"{written:,} written by Spark"] if written else []
    return f"Sources: {', '.join(parts)}."


def translations(document: Document) -> str:
    """How many translations of a live run are recorded ones; "" if XTable synced every table."""
    days = Counter(document.translation_recorded_on.values())
    recorded = [f"{many(days[day], 'table')} recorded on {day}" for day in sorted(filter(None, days))]
    return f"XTable's translations: {', '.join([*recorded, f'{days[None]:,} synced'])}." if recorded else ""


def _new(document: Document) -> Iterator[Text]:
    """New findings, worst first. The text of each is in pytest's own summary below the screen."""
    found = new_findings(document)
    if not found:
        return
    yield Text("")
    yield Text("New findings, worst first; each in full below", style="bold")
    by_claim: dict[tuple[Verdict, str], list[Finding]] = {}
    for one in found:
        by_claim.setdefault((one.verdict, one.sentence), []).append(one)
    ordered = list(by_claim.items())
    for (verdict, sentence), findings in ordered[:NEW]:
        tables = list(dict.fromkeys(finding.table for finding in findings))
        more = f" and {len(tables) - 1} more" if len(tables) > 1 else ""
        yield Text(f"  {verdict} ({verdict.words}): {tables[0]}{more}")
        yield Text(f"    {sentence}")
    if len(ordered) > NEW:
        yield Text(f"  and {many(len(ordered) - NEW, 'more claim')} that {_fail(len(ordered) - NEW)}")


def _fail(number: int) -> str:
    return "fails" if number == 1 else "fail"


def _listed(title: str, every: Sequence[str], rows: int) -> Iterator[Text]:
    """The first FEW lines below a title; nothing without any."""
    if every:
        yield from (Text(""), Text(title, style="bold"))
    for one in every[:FEW]:
        readable = elided(one, "", LONGEST_WORD)  # an address alone would push out what is wrong with it
        wrapped = textwrap.wrap(readable, WIDTH - 2, max_lines=rows, placeholder=" …")
        yield from (Text(f"  {part}", style="yellow") for part in wrapped)
    if len(every) > FEW:
        yield Text(f"  and {len(every) - FEW} more in the report")


def _hits(entries: list[FindingGroup], room: int) -> Iterator[Text]:
    """XTable's known findings, as many as there is room for, with their remedies, and how many of them do what."""
    if not entries:
        return
    verdicts = Counter(entry.verdict for entry in entries)
    summed = " · ".join(f"{verdict.words} {verdicts[verdict]}" for verdict in SEVERITY if verdicts[verdict])
    top = [Text(""), *_text(f"XTable has {many(len(entries), 'known finding')}: {summed}", style="bold")]
    yield from top
    shown = (room - len(top) - 2) // 3
    if shown < 1:
        yield Text("The report has the remedy of each.")
        return
    yield Text("Does it hit you? The most common first", style="bold")
    for entry in entries[:shown]:
        yield Text(f"  {entry.name}  {entry.title}")
        yield Text(f"           {entry.verdict.words} ({entry.verdict}): {entry.effect}", style="dim")
        yield Text(" " * 11 + textwrap.shorten(f"do: {_remedy(entry)}", WIDTH - 11, placeholder=" …"))
    if len(entries) > shown:
        yield Text(f"  and {len(entries) - shown} more in the report; each: xtable-audit known XTF-…")


def _remedy(seen: FindingGroup) -> str:
    """What a user does today."""
    entry = seen.entry
    avoids = entry.remedy if entry and entry.remedy != NO_REMEDY else ""
    return avoids or (entry.recovers if entry else "") or "no remedy is known"


def _others(known: list[FindingGroup]) -> list[Text]:
    """Known findings that are not XTable's bugs."""
    by_owner = {one: [entry.name for entry in known if entry.owner == one] for one in Owner if one is not Owner.XTABLE}
    parts = [f"{len(ids)} of {NAMES.get(one, one)} ({_range(ids)})" for one, ids in by_owner.items() if ids]
    if not parts:
        return [Text("")]
    return [Text(""), *_text("Not XTable's: " + ", ".join(parts))[:ROWS]]


def _range(ids: list[str]) -> str:
    return ", ".join(sorted(ids)) if len(ids) <= LISTED else f"{min(ids)} … {max(ids)}"


def _text(words: str, style: str = "") -> list[Text]:
    """Folded to the screen's width; nothing for no words."""
    return [Text(line, style=style) for line in textwrap.wrap(words, WIDTH, break_on_hyphens=False)]
