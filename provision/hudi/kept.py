"""A Hudi table with its trials as a folder: `case.json`, and a stage's values and index as Parquet beside it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import pyarrow.parquet as pq

from stack.problem import Problem
from xtable_audit.hudi.case import HudiCase, HudiStage, HudiTrial
from xtable_audit.model.predicate_json import read, spell

CASE = "case.json"
OF_STAGE = ("indexed", "empty", "beside")
"""The sets of names that `case.json` holds of a stage."""
KEPT_AS: dict[str, str] = {"live": "listed", "planned": "read", "read": "opened"}
"""Fields of a trial that `case.json` holds under another name: recordings are older than today's words."""


@dataclass(frozen=True)
class HudiTable:
    """A case, ready to be judged, and what it stands on."""

    case: HudiCase
    subject: str
    """As `subjects.hudi_subject.subject_of`."""
    mode: Literal["live", "recorded"]
    versions: dict[str, str]


def keep(folder: Path, case: HudiCase, subject: str, versions: dict[str, str]) -> None:
    """Writes the case into a folder that is there."""
    for number, stage in enumerate(case.stages, start=1):
        pq.write_table(stage.values, folder / f"{number}.values.parquet", compression="zstd")
        pq.write_table(stage.index, folder / f"{number}.index.parquet", compression="zstd")
    told = {
        "id": case.id,
        "release": case.release,
        "subject": subject,
        "versions": versions,
        "stages": [
            {field: sorted(getattr(stage, field)) for field in OF_STAGE} | {"words": stage.words}
            for stage in case.stages
        ],
        "trials": [_trial_as_json(trial) for trial in case.trials],
    }
    (folder / CASE).write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def kept(folder: Path, mode: Literal["live", "recorded"]) -> HudiTable:
    """What `keep` wrote. Raises Problem where the folder does not hold a whole case."""
    try:
        told = json.loads((folder / CASE).read_text(encoding="utf-8"))
        stages = tuple(
            HudiStage(
                words=stage["words"],
                **{field: frozenset(stage[field]) for field in OF_STAGE},
                values=pq.read_table(folder / f"{number}.values.parquet"),
                index=pq.read_table(folder / f"{number}.index.parquet"),
            )
            for number, stage in enumerate(told["stages"], start=1)
        )
        trials = tuple(_trial_from_json(trial) for trial in told["trials"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Problem(f"{folder} does not hold a whole table of Hudi's ({error}): delete it and run again.") from error
    return HudiTable(HudiCase(told["id"], told["release"], stages, trials), told["subject"], mode, told["versions"])


def _trial_as_json(trial: HudiTrial) -> dict[str, Any]:
    fields: dict[str, Any] = asdict(trial) | {"predicate": spell(trial.predicate)}
    told = {KEPT_AS.get(name, name): value for name, value in fields.items()}
    return {name: sorted(value) if isinstance(value, frozenset) else value for name, value in told.items()}


def _trial_from_json(told: dict[str, Any]) -> HudiTrial:
    told = {field: told[KEPT_AS.get(field, field)] for field in HudiTrial.__dataclass_fields__}
    files = {field: frozenset(told[field]) for field in ("planned", "read") if told[field] is not None}
    partitions = None if told["partitions"] is None else tuple(told["partitions"])
    return HudiTrial(**(told | files | {"partitions": partitions, "predicate": read(told["predicate"])}))
