"""`xtable-audit check` on a table in a mirror, as a stranger runs it: of the table it knows the metadata.json alone."""

from __future__ import annotations

from collections.abc import Mapping

from tests.audit.mirror import Mirror
from tools.frozen.run import Unwatched
from xtable_audit.check.advice import UNTIL
from xtable_audit.check.options import Options
from xtable_audit.check.run import check
from xtable_audit.locate.locate import Located
from xtable_audit.model.finding import Finding, Verdict
from xtable_audit.report.document import Document

Found = Mapping[str, Verdict]
"""By the claim that fails."""


def document_of(name: str, mirror: Mirror, location: str, called: str = "", where: tuple[str, ...] = ()) -> Document:
    """`called` is what the user names it by, if not its metadata.json; `where` are predicates."""
    return check(Located(name, location, mirror.objects), Options(called or location, where=where), Unwatched())


def found_in(document: Document) -> Found:
    return {one.claim: one.finding.verdict for one in document.claims if one.finding is not None}


def mending(finding: Finding) -> tuple[str, ...]:
    """The advice but for what helps readers until it is followed."""
    return tuple(words for words in finding.advice if not words.startswith(UNTIL))
