"""Made-up audit.json documents: a few claims each, as a run would tell them."""

from __future__ import annotations

from typing import Any

TEST = "suites/bounds/test_bounds.py::test_bounds_contain_values"


def found(table: str = "types_nan-xtable", **changed: Any) -> dict[str, Any]:
    """A finding as audit.json has it. `files`, `rows` are its impact."""
    impact = {"files": changed.pop("files", 1), "files_total": 4, "rows": changed.pop("rows", 10), "rows_total": 40}
    return {
        "claim": "bounds contain every value",
        "verdict": "UNSOUND",
        "table": table,
        "saw": "[0.0 … 0.0] for part-1.parquet",
        "expected": "[1.0 … 5.0], its values",
        "impact": impact | {"unlisted": 0},
        "blame": "xtable",
        "because": "the control translator holds it",
        "column": "d",
        "columns": ["d"],
        "reader": None,
        "versions": {"xtable": "0.4.0-incubating"},
        "again": "pytest …",
        "log": "",
        "registered": None,
    } | changed


def claim(outcome: str = "held", table: str = "types_nan-xtable", test: str = TEST, **changed: Any) -> dict[str, Any]:
    """One claim's result. What is `changed` of a finding goes into it."""
    reason = changed.pop("reason", "in words")
    reader, question = changed.get("reader"), changed.pop("question", None)
    fails = outcome in ("finding", "known")
    id = f"{test}[{'-'.join(part for part in (table, reader, question) if part)}]"
    return {
        "test": id,
        "claim": "Bounds contain every value.",
        "table": table,
        "reader": reader,
        "outcome": outcome,
        "seconds": 0.1,
        "finding": found(table, **{"again": f'pytest "{id}"'} | changed) if fails else None,
        "reason": reason if outcome in ("gone", "inconclusive", "error") else None,
    }


def document(
    *claims: dict[str, Any], release: str = "0.4.0-incubating", mode: str = "live", upgrade_from: str | None = None
) -> dict[str, Any]:
    """A whole run. What the comparison does not look at is left out."""
    outcomes = ["held", "finding", "known", "gone", "inconclusive", "error"]
    return {
        "complete": True,
        "verdict": "CONFORMANT",
        "counts": {outcome: sum(one["outcome"] == outcome for one in claims) for outcome in outcomes},
        "run": {"recorded": mode == "recorded", "seconds": 1.0, "upgrade_from": upgrade_from},
        "versions": {"suite": "2026.11", "xtable": release, "daft": "0.7.26", "hudi": "0.15.0", "spark": "3.5.9"},
        "translation": {"mode": mode, "release": release, "reason": "asked for" if mode != "live" else ""},
        "claims": list(claims),
        "selections": [],
        "answers": [],
        "register": {},
    }
