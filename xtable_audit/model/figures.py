"""Number types of a report with their ranges. Pydantic enforces the ranges and writes them into the schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any


@dataclass(frozen=True)
class Within:
    """A number's range, as an annotation for pydantic. It avoids importing pydantic, which takes 0.2 s."""

    least: float = 0
    most: float | None = None

    def __get_pydantic_core_schema__(self, source: object, handler: Any) -> dict[str, Any]:
        number: dict[str, Any] = handler(source)
        return number | {"ge": self.least} | ({} if self.most is None else {"le": self.most})


Count = Annotated[int, Within()]
Seconds = Annotated[float, Within()]
Ratio = Annotated[float, Within()]
Share = Annotated[float, Within(most=1)]


def many(number: int, what: str) -> str:
    """`1 file`, `1,234 files`."""
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def few(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are: `a, b and 1,234 more`."""
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def in_bytes(number: int) -> str:
    size = float(number)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:,.0f} {unit}" if unit in ("bytes", "kB") or size >= 10 else f"{size:,.1f} {unit}"
        size /= 1000
    return f"{size:,.1f} TB"
