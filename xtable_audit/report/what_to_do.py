"""What a user does about a finding: the same lines for terminal, job summary, annotations, SARIF and report."""

from __future__ import annotations

from collections.abc import Iterator

from xtable_audit.model.finding import Finding
from xtable_audit.report.document import Document, Registered

NO_REMEDY = "none known"
NAMED = 2
"""Maximum candidates whose remedies are told."""
ANEW = "drop the Iceberg metadata and sync anew, for what is written stays (XTF-060)"
OF_SYNCS = frozenset(
    {
        "every_file_exists",
        "no_file_is_listed_twice",
        "no_file_is_missing",
        "no_file_is_stale",
        "no_row_is_missing",
        "no_row_is_shown_twice",
        "no_row_is_stale",
    }
)
"""Claims that break where a sync leaves other files than the source's."""
TRY = (
    "try: stop the readers, move the folder metadata away, sync once, check again; it brought back each table of ours "
    "on which a sync had left wrong files (XTF-028, XTF-029, XTF-030, XTF-061, XTF-066)"
)


def what_to_do(finding: Finding, document: Document) -> list[str]:
    """Each way in one sentence, what mends it first; empty if nothing is known to help."""
    entry = document.register.get(str(finding.registered))
    if entry is not None:
        return [*of_known(entry, anew=finding.blame.is_xtables), *finding.advice]
    if finding.advice or document.own_table is None:
        return list(finding.advice)
    ids = document.own_table.candidates.get(finding.claim, ())
    told = list(_of_candidates({id: document.register[id] for id in ids}))
    return told or ([TRY] if finding.claim in OF_SYNCS and finding.blame.is_xtables else [])


def of_known(entry: Registered, *, anew: bool) -> Iterator[str]:
    """What avoids a known finding, then what brings back a table. `anew`: whether it is XTable's metadata."""
    if entry.remedy not in ("", NO_REMEDY):
        then = f"; then {ANEW}" if anew and not entry.recovers else ""
        yield f"{entry.remedy.rstrip('.')}{then}."
    if entry.recovers:
        yield f"To bring the table back: {_small(entry.recovers)}"


def _of_candidates(entries: dict[str, Registered]) -> Iterator[str]:
    """What brings the table back whichever it is, then what avoids each."""
    back = {entry.recovers for entry in entries.values()}
    if len(back) == 1 and all(back):
        yield f"{'if it is' if len(entries) == 1 else 'whichever it is'}: {_small(back.pop())}"
        anew = ""
    else:
        anew = f"; then {ANEW}"
    for id, entry in list(entries.items())[:NAMED]:
        if entry.remedy not in ("", NO_REMEDY):
            yield f"if it is {id}: {entry.remedy.rstrip('.')}{anew}. More: xtable-audit known {id}"


def _small(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
