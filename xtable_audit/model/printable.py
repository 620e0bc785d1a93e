"""The one place where text of strangers becomes text that is shown: by a terminal, a page, JUnit or JSON."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import fields
from functools import lru_cache
from typing import Any

UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0 and C1, with which terminals are controlled
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that change the direction of what follows
    "\u2028\u2029\ufeff\ufffe\uffff\U000e0000-\U000e007f\ud800-\udfff]"  # ends of lines, tags, halves of characters
)
_BREAKS = "\n\t"
_USER = re.compile(r"(?<=://)(?:[^/\s@:]*:(?!…@)[^/\s@]*|[^/\s@:]{21,})@(?=[^\s/])")
"""A user with a password, or a name as long as a token. `user@host` is shown, and what others have hidden stays."""
_SECRETS = (
    "X-Amz-Signature|X-Amz-Credential|X-Amz-Security-Token|AWSAccessKeyId|Signature|GoogleAccessId|X-Goog-Signature|"
    "X-Goog-Credential|sig|token|access_token|password|api_key"
)
_QUERY = re.compile(rf"(?<=[?&])({_SECRETS})=[^&\s'\"]*", re.IGNORECASE)
_KEYS = (
    "secret[-_.]?access[-_.]?key|secret[-_.]key|access[-_.]?key[-_.]?id|session[-_.]?token|account[-_.]key|"
    "sas[-_.]token|oauth2?[-_.]token|client[-_.]secret|connection[-_.]string"
)
_SETTING = re.compile(
    rf"(?P<name>(?<![\w.-])(?=[\w.-]*?(?:{_KEYS}))[\w.-]++[\"']?\s*+[=:]\s*+[\"']?"
    r"|\bauthorization[\"']?\s*+[=:]\s*+[\"']?(?:\w++\s++)?)"
    r"[^\s\"',}\]]++",
    re.IGNORECASE,
)
"""A stranger chooses the text, so the time is in proportion to its length: each word is looked at once, from its start,
and nothing is given back that was matched."""
HIDDEN = "***"


@lru_cache(maxsize=1 << 12)  # a run says the same of many tables
def printable(text: str, *, lines: bool = False) -> str:
    """The text with control characters as escapes (`\\x1b`) and credentials as `***`. `lines` keeps line breaks."""
    return without_credentials(UNPRINTABLE.sub(lambda one: _escaped(one[0], lines), text))


def without_credentials(text: str) -> str:
    """Hides `user:password@`, tokens and signed parameters of addresses, and settings that are named as secrets."""
    if "://" in text:
        text = _QUERY.sub(rf"\1={HIDDEN}", _USER.sub(f"{HIDDEN}@", text))
    return _SETTING.sub(rf"\g<name>{HIDDEN}", text)


def make_printable(shown: Any, *, lines: Collection[str] = ()) -> None:
    """Makes every text of a dataclass printable, in place; those named `lines` keep line breaks."""
    for field in fields(shown):
        value = getattr(shown, field.name)
        if type(value) is str:
            object.__setattr__(shown, field.name, printable(value, lines=field.name in lines))
        elif type(value) is tuple and value and all(type(one) is str for one in value):
            object.__setattr__(shown, field.name, tuple(printable(one) for one in value))


def shortened(text: str, longest: int) -> str:
    """The text, without its middle if it is longer than `longest` characters."""
    if len(text) <= longest:
        return text
    half = (longest - 3) // 2
    return f"{text[:half]} … {text[-half:]}"


def _escaped(character: str, lines: bool) -> str:
    if lines and character in _BREAKS:
        return character
    return character.encode("unicode_escape").decode("ascii")
