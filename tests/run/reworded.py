"""Every sentence of a claim, a need and a skip in other words. `-p tests.run.reworded` makes a run say them."""

from __future__ import annotations

OTHERWISE = "in other words, "


def pytest_sessionstart() -> None:
    """Before the tests are made. The modules are those that the run's conftest has imported."""
    from fixtures import expect, known
    from xtable_audit.claims.every import EVERY_CLAIM
    from xtable_audit.pytest_plugin import applies

    for module in (applies, known):
        _reword(module, "INCONCLUSIVE")
    _reword(applies, "NOT_APPLICABLE")
    _reword(expect, "REFUSES")
    for claim in EVERY_CLAIM.values():
        _reword(claim, "sentence")
        for need in claim.needs:
            _reword(need, "words")


def _reword(holder: object, name: str) -> None:
    words = getattr(holder, name)
    if not words.startswith(OTHERWISE):  # claims share needs
        object.__setattr__(holder, name, OTHERWISE + words)
