"""What reading the sources shows of a finding: `findings.code.toml`, beside the register.

It has one table an entry, by its id:

* one or more `[[XTF-N.code]]`: where it goes wrong: `file` (`owner/name/path`, on GitHub), `method`, a `word` on the
  line, `lines` (a table of tags and line numbers), and in one sentence what is `wrong` there;
* `trace`: the top of the stack trace, where something is thrown;
* `[XTF-N.main]`: what reading XTable's main shows: `state` (unchanged, changed, mended) and `why`; `ran`, if its
  reproduction was run there. `[XTF-N.hudi_main]`: the same of Hudi's main.

The commits that were read, the day of each and the date of reading are at the head of the file, in `[main]` and
`[hudi_main]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from xtable_audit.register.fields import BadRegister, Day, Row, Text, parsed, read, tables

BRANCHES = ("main", "hudi_main")


@dataclass(frozen=True)
class Code(Row):
    """A place in a source file at which the value goes wrong, found by reading it."""

    file: Text
    """`owner/name/path`, on GitHub."""
    method: Text
    """`Class.method`, which has the line."""
    word: Text
    """What stands on the line."""
    lines: Annotated[Mapping[str, Annotated[int, Field(strict=True, gt=0)]], Field(min_length=1)]
    """Tag or commit -> line number there. A tag without the place is not named."""
    wrong: Text
    """What goes wrong there, in one sentence."""

    @property
    def repository(self) -> str:
        """`owner/name`."""
        return "/".join(self.file.split("/")[:2])

    @property
    def path(self) -> str:
        """Of the file, in the repository."""
        return "/".join(self.file.split("/")[2:])


class OnMain(StrEnum):
    """What reading a project's main branch shows of a finding's code."""

    UNCHANGED = "unchanged"
    """The code at fault is as in the newest release."""
    CHANGED = "changed"
    """The code is another. Reading does not tell whether the finding is there."""
    MENDED = "mended"
    """The code at fault is gone."""


class ReproductionEnd(StrEnum):
    """How a finding's reproduction ended."""

    PRESENT = "present"
    GONE = "gone"


@dataclass(frozen=True)
class Main(Row):
    """What the main branch of XTable or Hudi does: at `commit`, which is of `day` and was read on the day `read`."""

    commit: Text
    day: Day
    read: Day
    state: OnMain
    why: Text
    ran: ReproductionEnd | None = None
    """How `make reproduce` ended on a build of that commit; None if it was not run, or could not try the finding."""

    @property
    def has_it(self) -> bool | None:
        """Whether the finding is there, if the newest release has it; None if neither reading nor running tells."""
        if self.ran is ReproductionEnd.GONE or self.state is OnMain.MENDED:
            return False
        return True if self.ran is ReproductionEnd.PRESENT or self.state is OnMain.UNCHANGED else None


@dataclass(frozen=True)
class ReadCode(Row):
    """All that was read of one finding."""

    code: tuple[Code, ...] = ()
    """Places in the sources at which it goes wrong."""
    trace: Text = ""
    """The top of the stack trace, if something is thrown."""
    main: Main | None = None
    """What XTable's main branch does; None if the finding is not about XTable."""
    hudi_main: Main | None = None
    """What Hudi's main branch does; None if no code of Hudi's is at fault, or it was not read."""


UNREAD = ReadCode()


def load_code(register: Path) -> dict[str, ReadCode]:
    """By the entry's id; empty if no such file lies beside the register. Raises BadRegister, with one sentence."""
    path = register.with_suffix(".code.toml")
    if not path.exists():
        return {}
    file = parsed(path)
    try:
        return {id: _read(id, row, file) for id, row in file.items() if id not in BRANCHES}
    except BadRegister as error:
        raise BadRegister(f"{path.name}: {error}") from error


def _read(label: str, row: Any, file: Mapping[str, Any]) -> ReadCode:
    if not isinstance(row, dict):
        raise BadRegister(f"{label} must be a table of code, trace, main and hudi_main.")
    places = tables(label, "code", row.get("code", []), begin=f"[[{label}.code]]")
    code = tuple(read(Code, f"{label}: code", one) for one in places)
    mains = {branch: _main(label, branch, row[branch], file) for branch in BRANCHES if branch in row}
    return read(ReadCode, label, row | {"code": code} | mains)


def _main(label: str, branch: str, row: Any, file: Mapping[str, Any]) -> Main:
    """What is said of a main branch; the file has a table of the same name at its head."""
    if not isinstance(row, dict):
        raise BadRegister(f"{label}: {branch} must be a table of state and why.")
    if not isinstance(file.get(branch), dict):
        raise BadRegister(
            f"{label} says what {branch} does; say at the head of the file which commit was read: [{branch}]."
        )
    return read(Main, f"{label}: {branch}", file[branch] | row)
