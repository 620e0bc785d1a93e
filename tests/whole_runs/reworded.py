"""Every sentence of a claim, need, skip and finding in other words: `-p tests.whole_runs.reworded` in a run."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a plugin is imported before pytest is ready for what it registers
    from xtable_audit.judge import Judgement
    from xtable_audit.model.finding import Finding

OTHERWISE = "in other words, "
QUOTING = frozenset(
    {"every_sync_comes_through", "metadata_and_data_files_can_be_read", "table_can_be_registered_in_nessie"}
)
"""Claims whose findings say in another program's words how it fails, unless they have a kind of deviation."""
WORDS = re.compile(r"(?<![\w'/])[a-z]+(?: [a-z]+)+(?![\w'/=])")
"""Two words or more of a sentence: values stand alone, or behind the name that the format has for them."""


def pytest_sessionstart() -> None:
    """Before the tests are made. The modules are those that the run's conftest has imported."""
    from fixtures import expect, known_findings
    from xtable_audit.claims.every_claim import EVERY_CLAIM
    from xtable_audit.pytest_plugin import holding

    for module in (holding, known_findings):
        _reword(module, "INCONCLUSIVE")
    _reword(holding, "NOT_APPLICABLE")
    _reword(expect, "REFUSES")
    vars(expect)["compared"] = _reworded(vars(expect)["compared"])
    for claim in EVERY_CLAIM.values():
        _reword(claim, "sentence")
        for need in claim.needs:
            _reword(need, "words")


def _reworded(compared: Callable[[Judgement], Finding | None]) -> Callable[[Judgement], Finding | None]:
    def judged(judgement: Judgement) -> Finding | None:
        finding = compared(judgement)
        if finding is None or (finding.claim in QUOTING and not finding.deviation):
            return finding
        return replace(finding, saw=WORDS.sub(OTHERWISE.strip(), finding.saw), expected="something else")

    return judged


def _reword(holder: object, name: str) -> None:
    words = getattr(holder, name)
    if not words.startswith(OTHERWISE):  # claims share needs
        object.__setattr__(holder, name, OTHERWISE + words)
