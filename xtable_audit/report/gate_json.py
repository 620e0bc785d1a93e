"""Reads and writes a gate as JSON. A separate module, because importing pydantic takes 0.2 s."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter, ValidationError

from xtable_audit.formats.installed import DEFAULT, target_formats
from xtable_audit.report.compare import Change, of_differences
from xtable_audit.report.document import UnreadableDocument
from xtable_audit.report.gate import SCHEMA_VERSION, Gate

GATE = TypeAdapter(Gate)
OLDER = 6
"""A schema that is still read: it does not say what the answer rests on."""
OF_ICEBERG = 7
"""Another: its target is Iceberg, and it does not say so."""
DERIVED = {"schema_version", "from", "to", "advice", "sentence", "exit_status", "could_not_run", "costs"}
"""Keys that follow from the others, for users without this package."""
WORDS = {"sentence"}
"""Those of the version that wrote it."""
AGAIN = "Read it with the version of the suite that wrote it, or run the gate again."


def write(gate: Gate) -> str:
    return json.dumps(_as_dict(gate), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def read(text: str) -> Gate:
    """The gate in a JSON text. Raises UnreadableDocument."""
    try:
        raw = json.loads(text)
    except json.JSONDecodeError as error:
        raise UnreadableDocument(f"This is no JSON ({error}): name the gate.json of a gate.") from error
    if not is_gate(raw):
        raise UnreadableDocument("This is no gate.json: name the gate.json of a gate.")
    if raw.get("schema_version") == OLDER:
        raw = _from_older(raw)
    if raw.get("schema_version") == OF_ICEBERG:
        raw = raw | {"schema_version": SCHEMA_VERSION, "target": DEFAULT}
    if raw.get("schema_version") != SCHEMA_VERSION:
        lacks = f"This gate.json has schema_version {raw.get('schema_version')!r}, not {SCHEMA_VERSION}: it lacks parts"
        raise UnreadableDocument(f"{lacks} of its page. {AGAIN}")
    facts = {key: value for key, value in raw.items() if key not in DERIVED}
    try:
        facts["differences"] = [_without_fails(one) for one in facts["differences"]]
        gate = GATE.validate_json(json.dumps(facts))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise UnreadableDocument(f"This gate.json is damaged: {where}: {first['msg']}. {AGAIN}") from error
    if gate.target not in target_formats():
        unknown = f"its target is {gate.target!r}, not one of {', '.join(target_formats())}"
        raise UnreadableDocument(f"This gate.json is damaged: {unknown}. {AGAIN}")
    whole = _as_dict(gate)
    if wrong := [key for key in whole | raw if key not in WORDS and whole.get(key) != raw.get(key)]:
        raise UnreadableDocument(f"This gate.json is damaged: {wrong[0]} does not follow from the rest. {AGAIN}")
    return gate


def _from_older(raw: dict[str, Any]) -> dict[str, Any]:
    """A gate of the schema before, in the form of today's. It took what was not judged for claims that hold."""
    answers, costs, differences = (raw.get(key) for key in ("answers", "costs", "differences"))
    if isinstance(answers, list):
        answers = [one | {"unjudged": None} if isinstance(one, dict) else one for one in answers]
    if isinstance(costs, dict):
        costs = {str(Change.UNJUDGED): {"claims": 0, "tables": 0, "files": 0, "rows": 0}} | costs
    if isinstance(differences, list):
        differences = [_with_later_keys(one) if isinstance(one, dict) else one for one in differences]
    later: dict[str, Any] = {
        "schema_version": OF_ICEBERG,
        "answers": answers,
        "costs": costs,
        "differences": differences,
        "rests_on": None,
    }
    return raw | later


def _with_later_keys(difference: dict[str, Any]) -> dict[str, Any]:
    found = {run: difference.get(run) for run in ("before", "after", "in_place")}
    later = {"root": "", "changed_from": None, "change": ""}
    return difference | {run: later | one if isinstance(one, dict) else one for run, one in found.items()}


def is_gate(raw: Any) -> bool:
    return isinstance(raw, dict) and isinstance(raw.get("differences"), list)


def _without_fails(difference: Any) -> Any:
    """`fails` follows from the rest."""
    return (
        {key: value for key, value in difference.items() if key != "fails"}
        if isinstance(difference, dict)
        else difference
    )


def _as_dict(gate: Gate) -> dict[str, Any]:
    facts = GATE.dump_python(gate, mode="json", warnings="error")
    for shown, one in zip(facts["differences"], gate.differences, strict=True):
        shown["fails"] = one.fails
    return {
        "schema_version": SCHEMA_VERSION,
        "from": gate.before.release,
        "to": gate.after.release,
        "advice": str(gate.advice),
        "sentence": gate.sentence,
        "exit_status": gate.exit_status,
        "could_not_run": gate.unfit,
        "costs": {str(change): _cost(gate, change) for change in Change},
        **facts,
    }


def _cost(gate: Gate, change: Change) -> dict[str, int]:
    found = gate.of(change)
    return {"claims": len(found)} | asdict(of_differences(found))
