"""Reads and writes a document as JSON and makes its schema, with pydantic and the types of `document.py`.

A separate module, because importing pydantic takes 0.2 s.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from xtable_audit.model.file_ranges import FileRanges
from xtable_audit.model.finding import SEVERITY, Finding
from xtable_audit.model.outcome import Cause
from xtable_audit.report.document import SCHEMA_VERSION, Document, Summary, UnreadableDocument

OLDER = (12, 13, 14, 15, 16, 17)
"""Schemas that are still read. 13 adds whose bug a finding is, what brings a table back, and XTable's zone; 14 what a
check of a user's own table fails on, ignores, compared and left out, and what a finding follows from; 15 which entry
registers a finding at another extent; 16 which sources and translations are those of recordings; 17 the cause of what
was not judged; 18 the targets that XTable writes, and the format of a user's own table."""
DERIVED = tuple(one.name for one in fields(Summary))
DOCUMENT, SUMMARY, FINDING = TypeAdapter(Document), TypeAdapter(Summary), TypeAdapter(Finding)
RANGES = TypeAdapter(FileRanges)
AGAIN = "Read it with the version of the suite that wrote it, or run the audit again."


class Plain(GenerateJsonSchema):
    """Omits titles and defaults, which are redundant in a file with every key present."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def default_schema(self, schema: Any) -> dict[str, Any]:
        return self.generate_inner(schema["schema"])


def schema() -> dict[str, Any]:
    """The JSON schema of audit.json. Every key is required."""
    _, made = TypeAdapter.json_schemas(
        [(Document, "serialization", DOCUMENT), (Summary, "serialization", SUMMARY)], schema_generator=Plain
    )
    facts, summary = (made["$defs"].pop(kind.__name__) for kind in (Document, Summary))
    facts["required"] += summary["required"]
    facts["properties"] |= summary["properties"]
    return {"$schema": Plain.schema_dialect, **facts, **made}


def write(document: Document) -> str:
    """The document as JSON. Raises pydantic's error for a value of the wrong type, ValueError for NaN and infinity."""
    return json.dumps(_as_dict(document), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def read(text: str) -> Document:
    """The document in a JSON text. Raises UnreadableDocument."""
    try:
        raw = json.loads(text)
    except json.JSONDecodeError as error:
        raise UnreadableDocument(f"This is no JSON ({error}): name the audit.json of a run.") from error
    if not isinstance(raw, dict) or "schema_version" not in raw:
        raise UnreadableDocument("This is no audit.json, it has no schema_version: name the audit.json of a run.")
    derived = DERIVED
    if raw["schema_version"] in OLDER:
        raw, derived = _from_older(raw), tuple(key for key in DERIVED if key != "verdict")  # which had fewer words
    if raw["schema_version"] != SCHEMA_VERSION:
        mismatch = f"This audit.json has schema_version {raw['schema_version']!r}, not {SCHEMA_VERSION}."
        raise UnreadableDocument(f"{mismatch} {AGAIN}")
    facts = {key: value for key, value in raw.items() if key not in DERIVED}
    try:
        document = DOCUMENT.validate_json(json.dumps(facts))
    except ValidationError as error:
        first, *more = error.errors(include_url=False, include_input=False)
        where = ".".join(map(str, first["loc"]))
        others = f", and {len(more)} more such faults" if more else ""
        raise UnreadableDocument(f"This audit.json is damaged: {where}: {first['msg']}{others}. {AGAIN}") from error
    whole = _as_dict(document)
    if absent := next(_absent(raw, whole | dict.fromkeys(DERIVED)), None):
        raise UnreadableDocument(f"This audit.json is damaged: {absent} is absent. {AGAIN}")
    if wrong := [key for key in derived if raw[key] != whole[key]]:
        raise UnreadableDocument(f"This audit.json is damaged: {wrong[0]} does not follow from its claims. {AGAIN}")
    return document


def _from_older(raw: dict[str, Any]) -> dict[str, Any]:
    """A document of a schema in OLDER in the form of today's. Whose bug a finding is follows from what errs; the time
    zone was always UTC; of Hudi's main it does not speak. A check of a user's own table failed on every finding.
    """
    register, run, own = (raw.get(key) for key in ("register", "run", "own_table"))
    if isinstance(register, dict):
        register = {id: _with_owner(one) if isinstance(one, dict) else one for id, one in register.items()}
    if isinstance(run, dict):
        on_all = isinstance(own, dict) and run.get("fail_on") is None
        run = {"zone": "UTC"} | run | ({"fail_on": str(SEVERITY[-1])} if on_all else {})
    if isinstance(own, dict):
        own = {"rows": 0, "rows_read": None, "bytes_read": None, "left_out": [], "ignored": []} | own
    claims = raw.get("claims")
    if isinstance(claims, list):
        claims = [_with_later_keys(one) if isinstance(one, dict) else one for one in claims]
    later: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "claims": claims,
        "register": register,
        "run": run,
        "own_table": own,
    }
    return {"hudi_main": None, "source_recorded_on": {}, "translation_recorded_on": {}} | raw | later


def _with_later_keys(result: dict[str, Any]) -> dict[str, Any]:
    finding, later = result.get("finding"), {"root": "", "changed_from": None, "change": ""}
    with_cause = {"cause": _cause(result)} | result
    return with_cause | {"finding": later | finding} if isinstance(finding, dict) else with_cause


def _cause(result: dict[str, Any]) -> str | None:
    """What kept a claim from being judged, by the words that the schemas in OLDER had for it."""
    finding, outcome = result.get("finding"), str(result.get("outcome"))
    if isinstance(finding, dict) and str(result.get("test")) not in str(finding.get("again")):
        return str(Cause.FOLLOWS)
    words, cause = IN_WORDS.get(outcome, ("", None))
    return str(cause) if cause and str(result.get("reason")).startswith(words) else None


IN_WORDS = {
    "inconclusive": ("not compared with the source", Cause.NOT_COMPARED),
    "not_applicable": ("XTable refuses the table, as it must", Cause.REFUSED),
}
"""By outcome, how the reasons of the schemas in OLDER begin that tell a cause."""


def _with_owner(entry: dict[str, Any]) -> dict[str, Any]:
    owners = {"xtable": "XTable", "hudi": "Hudi"}
    return {"recovers": "", "owner": owners.get(str(entry.get("component")), "Readers")} | entry


def finding(fields: dict[str, Any]) -> Finding:
    """Reverses `Finding.as_dict`. Raises pydantic's ValidationError."""
    return FINDING.validate_python(fields)


def file_ranges(fields: dict[str, Any]) -> FileRanges:
    """Reverses `asdict`. Raises pydantic's ValidationError."""
    return RANGES.validate_python(fields)


def _as_dict(document: Document) -> dict[str, Any]:
    facts = DOCUMENT.dump_python(document, mode="json", warnings="error")
    return {**facts, **SUMMARY.dump_python(document.summary, mode="json", warnings="error")}


def _absent(raw: Any, whole: Any, place: str = "") -> Iterator[str]:
    """Keys of `whole` that `raw` lacks; pydantic fills them in if the type has a default."""
    if isinstance(whole, dict):
        for key, value in whole.items():
            there = f"{place}.{key}" if place else key
            if key in raw:
                yield from _absent(raw[key], value, there)
            else:
                yield there
    elif isinstance(whole, list):
        for number, value in enumerate(whole):
            yield from _absent(raw[number], value, f"{place}.{number}")
