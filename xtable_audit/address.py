"""The public address of the project, from which every text that names one follows."""

from __future__ import annotations

REPOSITORY = ""
"""Such as `https://github.com/owner/name`; empty until there is one. Then texts name a command that a user has, or "a
checkout". `urls` of pyproject.toml, and the default of the ready workflows, are the same: tests/test_readme.py."""


def page_of(finding: str, repository: str = REPOSITORY) -> str:
    """The address of a finding's page; empty if the project has none."""
    return f"{repository}/blob/main/docs/findings/{finding}.md" if repository else ""
