"""The recorded evidence of a register's entry: the best examples that runs have shown of it, small enough to keep."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from packaging.version import Version

from xtable_audit.model.finding import SEVERITY, Verdict
from xtable_audit.model.fingerprint import UUID
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.register.entry import Entry, base_version, is_numbered
from xtable_audit.report.states import follows

EXAMPLES = 8
ANSWERS = 4
LOG_LINES = 12
LONGEST = 600
"""Characters of what was seen: a finding's page is read by people."""


@dataclass(frozen=True)
class Evidence:
    """`examples` are findings (`Finding.as_dict`), the best first: of the newest release, one a claim and reader."""

    examples: tuple[Mapping[str, Any], ...]
    answers: tuple[Mapping[str, Any], ...]
    """Predicates that readers answer wrongly on the best example's table: table, predicate, rows, readers."""
    costs: Mapping[str, Mapping[str, int]]
    """Per release of the entry's component: claims, tables, files, rows; each table counted once."""

    @property
    def best(self) -> Mapping[str, Any]:
        return self.examples[0]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Evidence:
        return cls(tuple(told["examples"]), tuple(told["answers"]), told["costs"])


def evidence_of(entry: Entry, documents: Sequence[Mapping[str, Any]]) -> Evidence | None:
    """What runs (audit.json documents, oldest release first) show of the entry; None where they show nothing."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    newest: Mapping[str, Any] = {}
    for document in documents:
        for finding in _findings(entry, document):
            found.setdefault(_version(entry, finding, document), []).append(finding)
            newest = document
    if not found:
        return None
    by_age = sorted(found, key=_age)
    examples = _examples(entry, found[by_age[-1]])
    costs = {version: _cost(found[version]) for version in by_age}
    return Evidence(tuple(map(_small, examples)), tuple(_answers(newest, examples[0]["table"])), costs)


def _version(entry: Entry, finding: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    """The component's own, on that table: one run may hold tables of several releases of Hudi."""
    return str(finding["versions"].get(entry.component) or document["versions"].get(entry.component, "?"))


def _age(version: str) -> tuple[bool, Version]:
    """Oldest first; what has no number counts as newer than all releases."""
    return (False, base_version(version)) if is_numbered(version) else (True, Version("0"))


def _findings(entry: Entry, document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [
        claim["finding"]
        for claim in document["claims"]
        if claim["outcome"] == "known" and claim["finding"]["registered"] == entry.id and not follows(claim)
    ]


def _examples(entry: Entry, findings: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """One a claim and reader: on the entry's own reproduction, else on the smallest table; worst first."""

    def order(finding: Mapping[str, Any]) -> tuple[int, bool, int, bool, str, str]:
        impact = finding["impact"]
        return (
            SEVERITY.index(Verdict(finding["verdict"])),
            finding["table"] != entry.reproduce,
            impact["rows_total"] or 1 << 60,
            SubjectId.parse(finding["table"]).translator != "xtable",
            finding["table"],
            finding["reader"] or "",
        )

    chosen: dict[tuple[str, str | None], Mapping[str, Any]] = {}
    for finding in sorted(findings, key=order):
        chosen.setdefault((finding["claim"], finding["reader"]), finding)
    return list(chosen.values())[:EXAMPLES]


def _cost(findings: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    files: dict[str, int] = {}
    rows: dict[str, int] = {}
    for finding in findings:
        impact, table = finding["impact"], finding["table"]
        files[table] = max(files.get(table, 0), impact["files"] + impact["unlisted"])
        rows[table] = max(rows.get(table, 0), impact["rows"])
    return {"claims": len(findings), "tables": len(files), "files": sum(files.values()), "rows": sum(rows.values())}


def _answers(document: Mapping[str, Any], table: str) -> list[dict[str, Any]]:
    """The example queries that most readers answer wrongly, the shortest first."""
    wrong = []
    for asked in document["answers"]:
        readers = {
            reader: {"rows": told if isinstance(told, int) else None, "refused": isinstance(told, str)}
            for reader, told in asked["readers"].items()
            if told is not None
        }
        astray = sum(not one["refused"] and one["rows"] != asked["actual"] for one in readers.values())
        if asked["table"] == table and astray:
            told = {"table": table, "predicate": asked["predicate"], "rows": asked["actual"], "readers": readers}
            wrong.append((-astray, len(asked["predicate"]), asked["predicate"], told))
    return [told for *_, told in sorted(wrong, key=lambda one: one[:3])[:ANSWERS]]


def _small(finding: Mapping[str, Any]) -> dict[str, Any]:
    """The finding without what is only this run's: names of files are shortened, logs cut to their end."""
    cut = {
        name: _named(finding[name])[:LONGEST] + ("…" if len(_named(finding[name])) > LONGEST else "")
        for name in ("saw", "expected")
    }
    log = "\n".join(_named(line)[:LONGEST] for line in finding["log"].splitlines()[-LOG_LINES:])
    return {**finding, **cut, "log": log}


def _named(text: str) -> str:
    """Names of files by the first digits of their UUID."""
    return re.sub(UUID, lambda uuid: uuid[0][:8], text)
