"""Says, as an annotation of a CI's log, that Maven's repository is out of reach: why something did not resolve."""

from __future__ import annotations

import sys
from urllib.parse import urlsplit

from lab.stack.cache import Cache
from lab.stack.maven_repositories import Repositories
from xtable_audit.model.problem import Problem

SECONDS = 20
WHAT_TO_DO = "let this runner reach Maven's repository, or name a mirror that it reaches in ~/.m2/settings.xml"


def unreached() -> str:
    """The sentence; "" if anything answers: what a repository lacks, it reports itself."""
    import requests  # late: the gate's tests are collected without it

    try:
        address = Repositories.of_this_machine(Cache().root).remote
        requests.head(address, timeout=SECONDS)
    except Problem as problem:
        return str(problem)
    except requests.RequestException as error:
        host = urlsplit(address).hostname  # alone: an address may hold a password
        return f"{host} cannot be reached ({type(error).__name__}): {WHAT_TO_DO}"
    return ""


def main() -> int:
    if sentence := unreached():
        print(f"::error title=XTable audit::{sentence}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
