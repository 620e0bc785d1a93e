"""A gate's exit status where metadata has to be dropped first, which needs a file that says how: REPORT FOLDER FILE."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from xtable_audit.model.outcome import EXIT_FAILS, EXIT_INCONCLUSIVE
from xtable_audit.report.compare import Change
from xtable_audit.report.gate import Gate
from xtable_audit.report.gate_answers import UpgradeAdvice


def status(gate: Gate, procedure: Path, called: str) -> tuple[int, str]:
    """The exit status, and a sentence on the procedure; "" if the gate's advice is not to drop the metadata.

    A file that does not name the release is of another upgrade. What stays broken in old metadata alone does not fail
    with a procedure, since that metadata is dropped.
    """
    if gate.advice is not UpgradeAdvice.DROP_METADATA:
        return gate.exit_status, ""
    release = gate.after.release
    if not procedure.is_file() or not _names(procedure.read_text(encoding="utf-8"), release):
        return EXIT_FAILS, f"NO PROCEDURE: {called} does not say how the metadata is dropped for {release}."
    if sum(one.fails and one.change is not Change.LEFT_BEHIND for one in gate.differences):
        return EXIT_FAILS, f"The procedure in {called} does not help against what is new."
    said = f"The metadata is dropped first, as {called} says: what would be left behind does not count."
    return (EXIT_INCONCLUSIVE if gate.unfit else 0), said


def _names(page: str, release: str) -> bool:
    """Whether the release is a word of the page: `0.4.0` is none of `0.4.0-rc2`, and may end a sentence."""
    return bool(re.search(rf"(?<![\w.-]){re.escape(release)}(?!-?\w|\.\w)", page))


def main(arguments: Sequence[str]) -> int:
    """Prints the sentence as Markdown. REPORT holds one gate.json; FILE is a path in FOLDER."""
    report, folder, called = arguments
    [document] = Path(report).rglob("gate.json")
    found, said = status(Gate.from_json(document.read_text(encoding="utf-8")), Path(folder, called), called)
    if said:
        print(f"**{said}**\n")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
