"""A digest of a Hudi table and its questions: while it is unchanged, recorded answers stand for new ones."""

from __future__ import annotations

from lab.provision.hudi.questions import DRAWN
from lab.provision.hudi.writing import entry
from lab.stack.cache import key_of
from lab.stack.versions import stack_with_hudi
from lab.subjects.hudi_examples import EXAMPLES
from lab.subjects.hudi_tables import DRAWN_ON, LAYERED, HudiSpec
from lab.subjects.questions import ZIP_CODE
from spark_jobs.shipping_launch import SHIPS


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
