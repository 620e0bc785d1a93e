"""A process that checks tables within limits: `python -m tools.fuzz.judging` reads the path of a metadata.json a line.

An answer is a line of JSON: how the check ended, and in which words.
"""

from __future__ import annotations

import json
import resource
import sys
import traceback
from enum import StrEnum
from typing import Any

MEMORY = 6 << 30
"""Bytes of address space, of which Arrow and DataFusion reserve half without using it."""


class End(StrEnum):
    """How the check of a mutant ends."""

    MALFORMED = "malformed"
    """One sentence."""
    FINDINGS = "findings"
    """Some claims fail whose verdict is worse than LOOSE."""
    PASSED = "passed"
    """No such claim fails, and a strict reader reads it."""
    IN_PART = "passed in part"
    """No such claim fails, and some columns or files are reported as not judged."""
    REFUSED = "refused elsewhere"
    """No such claim fails, but a strict reader refuses it: a fault of ours, unless the reader is wrong."""
    RAISED = "raised"
    """Another exception: a fault of ours."""
    DIED = "died"
    """The process ended by itself: a fault of ours."""
    HUNG = "hung"
    """It took too long: a fault of ours."""
    UNFIT = "unfit to print"
    """A sentence of several lines, with control characters or too long: a fault of ours."""


LONGEST = 900
HARMLESS = ("LOOSE", "COSMETIC")
"""Verdicts that the healthy tables have too: PyIceberg writes no bounds of columns inside structs."""


def judge(metadata: str) -> tuple[End, str]:
    from xtable_audit.claims import CLAIMS
    from xtable_audit.judge import judge_table
    from xtable_audit.locate.locate import locate
    from xtable_audit.model.claim import claims_about
    from xtable_audit.model.finding import Blame
    from xtable_audit.model.malformed import Malformed
    from xtable_audit.model.problem import Problem
    from xtable_audit.subject.case import UNKNOWN_SOURCE, Case, read_case

    assert CLAIMS
    try:
        located = locate(metadata)
        case = read_case(located.objects, located.name, located.metadata_location, UNKNOWN_SOURCE)
    except (Malformed, Problem) as error:
        sentence = str(error)
        return (End.MALFORMED if sentence.isprintable() and len(sentence) <= LONGEST else End.UNFIT), sentence
    nobody = Blame.writer("unknown"), "a fuzzer spoilt it"
    judged = [judge_table(claim, case, nobody) for claim in claims_about(Case).values()]
    failing = [one.finding.claim for one in judged if one.finding and one.finding.verdict not in HARMLESS]
    if failing:
        return End.FINDINGS, ", ".join(failing)
    if case.stored.set_aside:
        return End.IN_PART, "; ".join(map(str, case.stored.set_aside))
    refusal = refused_elsewhere(metadata)
    return (End.PASSED, "") if refusal is None else (End.REFUSED, refusal)


def refused_elsewhere(metadata: str) -> str | None:
    """Why PyIceberg refuses to read the table; None if it reads it."""
    from pyiceberg.table import StaticTable

    try:
        StaticTable.from_metadata(metadata).scan().to_arrow()
    except Exception as error:  # noqa: BLE001  # any of them is a refusal
        return f"{type(error).__name__}: {error}"[:300]
    return None


def answer(metadata: str) -> tuple[End, str]:
    try:
        return judge(metadata)
    except BaseException:  # noqa: BLE001  # a panic of a library is none of Exception
        return End.RAISED, traceback.format_exc()[-3000:]


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    out: Any = sys.stdout
    sys.stdout = sys.stderr
    for line in sys.stdin:
        out.write(json.dumps(answer(line.rstrip("\n"))) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
