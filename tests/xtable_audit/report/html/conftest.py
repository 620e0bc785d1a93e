"""The browser of the tests of pages, and a page as a browser reads it: its elements, texts and addresses."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

import pytest

from tools.pages.screenshots import Browser, opened
from xtable_audit.model.problem import Problem


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    try:
        with opened() as started:
            yield started
    except Problem as problem:
        pytest.skip(str(problem))


VOID = {"meta", "link", "input", "br", "img"}


@dataclass
class Page(HTMLParser):
    html: str
    tags: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    """Element, attribute, value."""
    open: list[str] = field(default_factory=list)
    unclosed: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        last = self.open.pop() if self.open else ""
        if last != tag:
            self.unclosed.append(f"<{last}> … </{tag}>")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def values(self, attribute: str) -> list[str]:
        return [value for _, name, value in self.attributes if name == attribute]

    @property
    def document(self) -> str:
        """The embedded audit.json."""
        [data] = [value for value in self.values("href") if value.startswith("data:application/gzip;base64,")]
        return gzip.decompress(base64.b64decode(data.partition(",")[2])).decode()
