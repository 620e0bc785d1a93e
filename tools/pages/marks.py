"""The part of a page that a command writes, between two marks; what people wrote around it stays."""

from __future__ import annotations


def with_part(text: str, begin: str, end: str, part: str, page: object = "it") -> str:
    """The page with this part in the place of the one that it has. Raises ValueError if it lacks a mark.

    `page` is what the error calls it.
    """
    head, begun, rest = text.partition(begin)
    _, ended, tail = rest.partition(end)
    if not (begun and ended):
        raise ValueError(f"{page} has no place for the table: the page lacks the lines {begin!r} and {end!r}")
    return f"{head}{begin}{part}{end}{tail}"
