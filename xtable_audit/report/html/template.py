"""Fills a template: the one place where a document's texts become HTML. Needs the extra [report]."""

from __future__ import annotations

import base64
import gzip
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from xtable_audit.model.figures import many
from xtable_audit.model.printable import printable
from xtable_audit.report.html.words import MARKS


def fill(template: str, **values: Any) -> str:
    """The page as HTML."""
    script = _part("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        _environment()
        .get_template(template)
        .render(
            **values,
            many=many,
            marks=MARKS,
            style=_part("page.css"),
            script=script,
            allowed=f"'sha256-{digest}'",
        )
    )


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def embedded(source: str) -> str:
    """The JSON that a page is drawn from, for its download.

    As a base64 of gzip: an eighth of its size, and without any character that HTML gives a meaning.
    """
    return base64.b64encode(gzip.compress(source.encode(), 9, mtime=0)).decode()


@cache
def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("xtable_audit.report.html", "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["capital"] = capital
    return made


def _shown(value: Any) -> Any:
    """Every text of a document passes here: control characters become escapes."""
    return printable(value, lines=True) if type(value) is str else value
