"""A Hudi table with its trials in a folder, kept here or recorded, and each stage's values and index as Parquet."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import pyarrow.parquet as pq

from lab.provision.hudi.questions import DRAWN
from lab.provision.hudi.writing import entry
from lab.stack.cache import Cache, key_of
from lab.stack.versions import SUITE_VERSION, stack_with_hudi
from lab.subjects.groups import ZIP_CODE
from lab.subjects.hudi_tables import DRAWN_ON, EXAMPLES, LAYERED, HudiSpec
from spark_jobs.launch import SHIPS
from xtable.replay import PROVENANCE, RECORDINGS, SUFFIX, checksums, pack, unpacked
from xtable_audit.formats.hudi.indexed_table import HudiCase, HudiStage, HudiTrial
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.model.problem import Problem


def spell(predicate: Predicate) -> dict[str, Any]:
    """The predicate as a JSON-serializable dict."""
    match predicate:
        case And(left, right):
            return {"and": [spell(left), spell(right)]}
        case Or(left, right):
            return {"or": [spell(left), spell(right)]}
        case Compare(column, operator, value):
            return {"column": column, "is": operator, "value": _spelled(value)}
        case In(column, values, negated):
            return {"column": column, "is": "not in" if negated else "in", "values": [_spelled(one) for one in values]}
        case IsNull(column, negated):
            return {"column": column, "is": "not null" if negated else "null"}
        case StartsWith(column, prefix):
            return {"column": column, "is": "starts with", "value": _spelled(prefix)}
    raise TypeError(f"{type(predicate).__name__} is not a predicate that can be spelled")


def read(spelled: Mapping[str, Any]) -> Predicate:
    """Reverses `spell`. Raises KeyError or ValueError for other input."""
    for word, both in (("and", And), ("or", Or)):
        if word in spelled:
            left, right = spelled[word]
            return both(read(left), read(right))
    column = spelled["column"]
    match spelled["is"]:
        case "in" | "not in" as word:
            return In(column, tuple(_read(one) for one in spelled["values"]), negated=word == "not in")
        case "null" | "not null" as word:
            return IsNull(column, negated=word == "not null")
        case "starts with":
            return StartsWith(column, _read(spelled["value"]))
        case operator:
            return Compare(column, operator, _read(spelled["value"]))


def _spelled(value: Any) -> list[Any]:
    """Type and text of a value; JSON has neither dates nor decimals."""
    match value:
        case bool() | int() | str():
            return [type(value).__name__, value]
        case bytes():
            return ["bytes", base64.b64encode(value).decode()]
        case datetime() | date():
            return [type(value).__name__, value.isoformat()]
        case float() | Decimal():
            return [type(value).__name__, str(value)]
    raise TypeError(f"{value!r} is no value of a predicate")


def _read(spelled: list[Any]) -> Any:
    kind, text = spelled
    match kind:
        case "bytes":
            return base64.b64decode(text)
        case "datetime":
            return datetime.fromisoformat(text)
        case "date":
            return date.fromisoformat(text)
        case "float":
            return float(text)
        case "Decimal":
            return Decimal(text)
    return text


CASE = "case.json"
OF_STAGE = ("indexed", "empty", "beside")
"""The fields of a stage that are sets of names in `case.json`."""
KEPT_AS: dict[str, str] = {"live": "listed", "planned": "read", "read": "opened"}
"""Fields of a trial that have another name in `case.json`: recordings are older than today's names."""


@dataclass(frozen=True)
class HudiTable:
    """A case for the judge, with where it comes from."""

    case: HudiCase
    subject: str
    """As `lab.provision.hudi.kept_table.digest_of`."""
    mode: Literal["live", "recorded"]
    versions: dict[str, str]


def keep(folder: Path, case: HudiCase, subject: str, versions: dict[str, str]) -> None:
    """Writes the case to an existing folder."""
    for number, stage in enumerate(case.stages, start=1):
        pq.write_table(stage.values, folder / f"{number}.values.parquet", compression="zstd")
        pq.write_table(stage.index, folder / f"{number}.index.parquet", compression="zstd")
    facts = {
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
    (folder / CASE).write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def kept(folder: Path, mode: Literal["live", "recorded"]) -> HudiTable:
    """What `keep` wrote. Raises Problem if the folder does not hold a complete case."""
    try:
        facts = json.loads((folder / CASE).read_text(encoding="utf-8"))
        stages = tuple(
            HudiStage(
                words=stage["words"],
                **{field: frozenset(stage[field]) for field in OF_STAGE},
                values=pq.read_table(folder / f"{number}.values.parquet"),
                index=pq.read_table(folder / f"{number}.index.parquet"),
            )
            for number, stage in enumerate(facts["stages"], start=1)
        )
        trials = tuple(_trial_from_json(trial) for trial in facts["trials"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Problem(f"{folder} does not hold a complete Hudi table ({error}): delete it and run again.") from error
    return HudiTable(HudiCase(facts["id"], facts["release"], stages, trials), facts["subject"], mode, facts["versions"])


def _trial_as_json(trial: HudiTrial) -> dict[str, Any]:
    fields: dict[str, Any] = asdict(trial) | {"predicate": spell(trial.predicate)}
    kept = {KEPT_AS.get(name, name): value for name, value in fields.items()}
    return {name: sorted(value) if isinstance(value, frozenset) else value for name, value in kept.items()}


def _trial_from_json(kept: dict[str, Any]) -> HudiTrial:
    fields = {name: kept[KEPT_AS.get(name, name)] for name in HudiTrial.__dataclass_fields__}
    files = {name: frozenset(fields[name]) for name in ("planned", "read") if fields[name] is not None}
    partitions = None if fields["partitions"] is None else tuple(fields["partitions"])
    return HudiTrial(**(fields | files | {"partitions": partitions, "predicate": read(fields["predicate"])}))


# Recorded answers of Hudi's own reader: they stand for new ones while the digest of table and questions is one.


def digest_of(spec: HudiSpec, files: int) -> str:
    """A digest of the rows, the release that writes and reads them, and the questions.

    `files` is the size of the published table. The keys are those that the recordings' digests were made with.
    """
    row = stack_with_hudi(spec.release)
    ship = spec.dataset in SHIPS
    return key_of(
        table=f"{SHIPS[spec.dataset]}, {files} files" if ship else entry(spec).content,
        jars=row.jars,
        spark=row.spark,
        asked=[str(ZIP_CODE)] if spec.dataset in LAYERED else [str(each) for each in EXAMPLES.get(spec.dataset, ())],
        drawn=DRAWN if spec.dataset == DRAWN_ON else 0,
    )


HUDI_RECORDINGS = RECORDINGS / "hudi"
"""One archive a release: `provenance.json`, and one folder a table, as `lab.provision.hudi.kept_table` writes it."""


def record(release: str, tables: Path, root: Path = HUDI_RECORDINGS) -> None:
    """Packs the folder of kept tables, each under its id, as the recording of that release."""
    provenance = {
        "suite": SUITE_VERSION,
        "recorded_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "jars": list(stack_with_hudi(release).jars),
        "checksums": checksums(tables),
    }
    (tables / PROVENANCE).write_text(json.dumps(provenance, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    pack(tables, root / f"{release}{SUFFIX}")


def recorded(id: str, release: str, cache: Cache, root: Path = HUDI_RECORDINGS) -> Path:
    """The folder of a recorded table. Raises Problem if there is no recording of it."""
    folder = unpacked(root, cache) / release / id
    if not folder.is_dir():
        raise Problem(f"There is no recording of {id}: `make record` makes one.")
    return folder
