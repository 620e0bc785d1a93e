"""The answer for a terminal, 80 columns wide at most, and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from xtable_audit.affected.affected import Affected, Certainty
from xtable_audit.affected.answer import TargetAnswer, Weighed
from xtable_audit.affected.releases import XTableRelease
from xtable_audit.formats.source import Lacking, SourceTable
from xtable_audit.model.figures import many
from xtable_audit.model.own_table import ENDED
from xtable_audit.model.printable import printable
from xtable_audit.model.subject_id import DELTA, ICEBERG
from xtable_audit.register.affects import KERNEL, SPARK, STANDALONE, USE_KERNEL
from xtable_audit.register.entry import Entry

# The answer as JSON.


def as_json(source: str, answers: Sequence[TargetAnswer], fail_on: str, target: str) -> Mapping[str, Any]:
    """Of Iceberg alone nothing names the target, and of the reader by Spark nothing that: the form of before there were
    others.
    """
    [refused] = {one.refused for one in answers}
    release = answers[0].release
    asked = ({} if target == ICEBERG else {"target": target}) | (
        {} if release.reader == SPARK else {"reader": release.reader}
    )
    findings = [
        _finding_as_json(one, answer) | _of_target(one, answer, target) for answer in answers for one in answer.found
    ]
    return {
        "source": source,
        "xtable": release.name,
        **asked,
        "refused": refused,
        "fail_on": fail_on,
        "findings": findings,
    }


def _finding_as_json(one: Affected, answer: TargetAnswer) -> dict[str, Any]:
    return {
        "id": one.id,
        "title": one.title,
        "certainty": one.certainty,
        "verdict": one.verdict,
        "because": one.because,
        "unread": one.lacks is Lacking.FOOTERS,
        "unseen": one.unseen,
        "remedy": one.remedy,
        "proven_by": one.proven_by,
        "upgrade": one.upgrade,
        "fails": one in answer.weighed.failing,
    }


def _of_target(one: Affected, answer: TargetAnswer, target: str) -> dict[str, Any]:
    return {} if target == ICEBERG else {"target": answer.release.target, "writer": one.writer}


WIDTH = 80
UNTRIED = "no tried remedy"
METADATA = "metadata"
"""The folder of Iceberg metadata that XTable writes, below the table."""
WRITES_IF = {KERNEL: f" ({USE_KERNEL})", STANDALONE: ""}
OF_DELTA = (
    f"XTable writes Delta by {STANDALONE}, its default, or since 0.4.0 by {KERNEL} ({USE_KERNEL}). A finding that "
    "names one of them is of that alone, and one that names none is of both."
)
STAYS = "XTF-060"
"""The entry about metadata of an earlier release, whose remedy an upgrade needs."""


def rendered(source: SourceTable, answer: TargetAnswer, entries: Sequence[Entry], *, names_target: bool = False) -> str:
    """Everything of strangers has its control characters escaped."""
    found = answer.weighed.failing
    lines = [*_head(source, answer.release, names_target=names_target)]
    if answer.refused:
        lines += ["", *_wrapped(answer.refused)]
    unconfigured = [one for one in found if one.lacks is Lacking.CONFIGURATION]
    unread = [one for one in found if one.lacks is Lacking.FOOTERS]
    for one in found:
        if one.lacks is None:
            lines += ["", *_finding(one)]
    if notes := [*_not_failing(answer.weighed)]:
        lines += ["", *notes]
    if unread:
        lines += ["", *_unread(source, unread)]
    if unconfigured:
        ids = ", ".join(one.id for one in unconfigured)
        lines += ["", *_wrapped(f"Not known without --config, as they depend on partitionSpec: {ids}.")]
    if answer.release.target == DELTA and not answer.refused:
        lines += ["", *_wrapped(OF_DELTA)]
    if any(one.upgrade for one in found):
        lines += ["", *_after_an_upgrade(source, entries)]
    return printable("\n".join([*lines, "", *_wrapped(_last(answer, unread, unconfigured)), ""]), lines=True)


def _head(source: SourceTable, release: XTableRelease, *, names_target: bool) -> Iterator[str]:
    read = f"{many(source.footers, 'footer')} of {many(source.files, 'live file')} read"
    yield from _wrapped(f"{source.format}:{source.location}")
    version = f"{source.versioned} {source.version}".rstrip()
    yield from _wrapped(f"{version} · {many(len(source.columns), 'leaf column')} · {read}")
    to = f", to {release.target.capitalize()}" if names_target else ""
    yield f"XTable {release.name}{to}{f', reading Delta by {KERNEL}' if release.reader == KERNEL else ''}"


def _finding(one: Affected) -> Iterator[str]:
    yield f"{one.certainty.upper()}  {one.id}  {one.verdict.words} ({one.verdict})"
    yield from _wrapped(one.title, "  ")
    because = "; ".join(one.because)
    if because:
        yield from _wrapped(because, "  because  ")
    if one.unseen:
        yield from _wrapped(one.unseen, "  if       ")
    if one.writer:
        yield from _wrapped(f"{one.writer} alone{WRITES_IF[one.writer]}", "  by       ")
    yield from _wrapped(one.remedy or UNTRIED, "  do       ")
    if one.remedy:
        yield from _wrapped(f"tried on {', '.join(one.proven_by)}", "           ")
    if one.upgrade:
        yield from _wrapped(f"upgrade to XTable {one.upgrade}, which does not have it", "  or       ")
    yield f"  more     {one.more}"


def _unread(source: SourceTable, found: Sequence[Affected]) -> Iterator[str]:
    """One line each: reading more footers is the first thing to do about these."""
    yield from _wrapped(f"Not ruled out by the footers that were read; --footers {source.files} reads all:")
    for one in found:
        yield from _wrapped("; ".join(one.because), f"  {one.id}  ")


def _after_an_upgrade(source: SourceTable, entries: Sequence[Entry]) -> Iterator[str]:
    stays = next((entry for entry in entries if entry.id == STAYS), None)
    if stays is not None:
        yield from _wrapped(f"After an upgrade, what an earlier release wrote stays ({STAYS}). {stays.remedy}")
        yield from _wrapped(f"The folder is {source.location}/{METADATA}.")


def _not_failing(weighed: Weighed) -> Iterator[str]:
    """One line for each finding that does not fail the command, and for each entry that has ended."""
    for one in weighed.advice:
        yield textwrap.shorten(
            f"ADVICE {one.certainty} {one.id} · {one.verdict.words}: {one.title}", WIDTH, placeholder=" …"
        )
    for one, why in weighed.excused:
        yield textwrap.shorten(f"ALLOWED {one.id} · {why}", WIDTH, placeholder=" …")
    for entry in weighed.ended:
        yield from _wrapped(ENDED.format(until=entry.until, what=entry.what))


def _last(answer: TargetAnswer, unread: Sequence[Affected], unconfigured: Sequence[Affected]) -> str:
    if answer.refused:
        return "AFFECTED: no sync comes through."
    open_ones = [*unread, *unconfigured]
    shown = [one for one in answer.weighed.failing if one not in open_ones]
    meets = sum(one.certainty is Certainty.MEETS for one in shown)
    counted = [f"meets {many(meets, 'known finding')}"] if meets else []
    counted += [f"may meet {many(len(shown) - meets, 'known finding')}"] if len(shown) > meets else []
    counted += [f"{len(open_ones):,} {'more ' if shown else ''}not ruled out"] if open_ones else []
    if counted:
        return f"AFFECTED: {', '.join(counted)}."
    if answer.weighed.advice or answer.weighed.excused:
        return "NOT AFFECTED by any known finding of XTable that fails this command."
    return "NOT AFFECTED by any known finding of XTable."


def _wrapped(text: str, first: str = "") -> list[str]:
    """Folded to WIDTH; words that are longer, such as paths, are broken."""
    fold = textwrap.TextWrapper(WIDTH, first, " " * len(first), break_on_hyphens=False)
    return fold.wrap(text) or [first]
