"""Recorded answers of Hudi's own reader: they stand for new ones while the digest of table and questions is one."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from lab.provision.hudi.questions import DRAWN
from lab.provision.hudi.writing import entry
from lab.stack.cache import Cache, key_of
from lab.stack.versions import SUITE_VERSION, stack_with_hudi
from lab.subjects.groups import ZIP_CODE
from lab.subjects.hudi_tables import DRAWN_ON, EXAMPLES, LAYERED, HudiSpec
from spark_jobs.launch import SHIPS
from xtable.replay import PROVENANCE, RECORDINGS, SUFFIX, checksums, pack, unpacked
from xtable_audit.model.problem import Problem


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
"""One archive a release: `provenance.json`, and one folder a table, as `lab.provision.hudi.kept` writes it."""


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
