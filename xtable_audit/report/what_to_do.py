"""What a user does about a finding: the same lines for terminal, job summary, annotations, SARIF and report."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from xtable_audit.model.finding import Finding
from xtable_audit.model.subject_id import ICEBERG, SubjectId
from xtable_audit.register.bundled import bundled_register
from xtable_audit.register.entry import ActsOn, Entry
from xtable_audit.report.document import Document, Registered

NO_REMEDY = "none known"
NAMED = 2
"""Maximum candidates whose remedies are told."""
DROP = "drop the Iceberg metadata, for what is written stays (XTF-060)"
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
    "on which a sync had left wrong files (XTF-028, XTF-029, XTF-030, XTF-061, XTF-066, XTF-068, XTF-079, XTF-080, "
    "XTF-081)"
)


def what_to_do(finding: Finding, document: Document) -> list[str]:
    """Each way, what mends it first; empty if nothing is known to help."""
    id = str(finding.registered)
    entry = document.register.get(id)
    if entry is not None:
        known = of_known(id, entry, anew=finding.blame.is_xtables, target=_target(finding, document))
        return [*known, *finding.advice]
    if document.own_table is None or document.own_table.format != ICEBERG or not finding.blame.is_xtables:
        return list(finding.advice)
    ids = document.own_table.candidates.get(finding.claim, ())
    told = list(_of_candidates({one: document.register[one] for one in ids}))
    return [*(told or ([TRY] if finding.claim in OF_SYNCS else [])), *finding.advice]


def of_known(id: str, entry: Registered, *, anew: bool, target: str = ICEBERG) -> Iterator[str]:
    """What avoids a known finding, then what brings back a table. `anew`: whether it is XTable's metadata.

    What is written is mended as it was tried: a way that was tried on the metadata of another `target` is not said.
    """
    registered = _registered(id)
    acts_on, proven_by, recovers_by = (
        (registered.acts_on, registered.proven_by, registered.recovers_by) if registered else (None, (), ())
    )
    if entry.remedy not in ("", NO_REMEDY) and (acts_on is not ActsOn.METADATA or target in _targets(proven_by)):
        again = anew and target == ICEBERG and not entry.recovers
        words = _then_anew(acts_on, entry.remedy) if again else entry.remedy.rstrip(".")
        yield f"{words[:1].upper()}{words[1:]}."
    if entry.recovers and target in _targets(recovers_by):
        yield f"To bring the table back: {_small(entry.recovers)}"


def _target(finding: Finding, document: Document) -> str:
    own = document.own_table
    return own.format if own is not None else SubjectId.parse(finding.table).target


def _of_candidates(entries: dict[str, Registered]) -> Iterator[str]:
    """What brings the table back whichever it is, then what avoids each. One remedy of several is told once."""
    back = {entry.recovers for entry in entries.values()}
    recovers = back.pop() if len(back) == 1 else ""
    if recovers:
        yield f"{_which(entries, entries)}: {_small(recovers)}"
    by_remedy: dict[str, list[str]] = {}
    for id, entry in entries.items():
        if entry.remedy not in ("", NO_REMEDY):
            by_remedy.setdefault(entry.remedy, []).append(id)
    for remedy, ids in list(by_remedy.items())[:NAMED]:
        registered = _registered(ids[0])
        acts_on = registered.acts_on if registered else None
        words = remedy.rstrip(".") if recovers else _then_anew(acts_on, remedy)
        named = entries if len(entries) > 1 and len(ids) == len(entries) else {}
        yield f"{_which(ids, named)}: {words}. More: xtable-audit known {ids[0]}"


def _which(ids: Collection[str], every: Collection[str]) -> str:
    if every:
        return "if it is" if len(every) == 1 else "whichever it is"
    return f"if it is {' or '.join(ids)}"


def _then_anew(acts_on: ActsOn | None, remedy: str) -> str:
    """The remedy, and that XTable must write what it wrote already anew."""
    words = remedy.rstrip(".")
    match acts_on:
        case ActsOn.METADATA | ActsOn.READER:
            return words
        case ActsOn.SYNC:
            return f"first, {DROP}. Then: {words}"
        case ActsOn.SOURCE:
            return f"first, in the source, for existing rows too: {words}. Then {ANEW}"
    return f"first: {words}. Then {ANEW}"


def _registered(id: str) -> Entry | None:
    """The entry of this package's register; None if a document of another one has it alone."""
    return next((entry for entry in bundled_register() if entry.id == id), None)


def _targets(tables: Collection[str]) -> set[str]:
    """Of tables on which a way was tried: the formats of their metadata. Iceberg where none is named."""
    return {SubjectId.parse(table).target for table in tables} or {ICEBERG}


def _small(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
