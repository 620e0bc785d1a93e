"""Paths in URIs (RFC 3986, Path)."""

from __future__ import annotations

from urllib.parse import quote

AS_IT_IS = "/!*'()@&=+$,;:"
"""What the path of a URI has as it is, beside letters, digits and what `quote` never encodes."""


def needs_encoding(path: str) -> bool:
    """Whether a URI has the path below a table in another form. A colon in its first part would end a scheme. Java's
    URIs have what is beyond ASCII as it is.
    """
    return ":" in path.partition("/")[0] or any(quote(one, safe=AS_IT_IS) != one for one in path if one.isascii())
