"""The table of docs/gates/README.md, from the pages of the upgrades beside it: `python -m tools pages.gates`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.stack.project import ROOT
from lab.stack.versions import release
from tools.pages.marks import with_part
from xtable_audit.formats.installed import target_formats
from xtable_audit.report.gate import of_target
from xtable_audit.report.gate_page import QUESTION

FOLDER = ROOT / "docs" / "gates"
README = "README.md"
BEGIN, END = "<!-- the upgrades, by python -m tools pages.gates -->", "<!-- end of the upgrades -->"
BETWEEN = "-to-"
_QUESTION = "|".join(re.escape(of_target(QUESTION, target)) for target in target_formats().values())
ANSWER = re.compile(rf"^\*\*(?:{_QUESTION}) (?P<answer>[^*]+)\*\*: (?P<why>.+)$", re.MULTILINE)
DAY = re.compile(r"^Made (?P<day>\d{4}-\d\d-\d\d)", re.MULTILINE)
KIND = re.compile(r"^\| (?P<kind>[^|]+) \| \d+ \| \*\*(?P<answer>[^*]+)\*\* \|", re.MULTILINE)


@dataclass(frozen=True)
class GateHead:
    """What a gate's page says first."""

    before: str
    to: str
    answer: str
    why: str
    day: str
    kinds: dict[str, str]
    """Kind of source to the answer for it; empty if the page, of an older form, has none."""

    @classmethod
    def read(cls, path: Path) -> GateHead:
        """Raises ValueError for what is no page of a gate."""
        text = path.read_text(encoding="utf-8")
        answered, made = ANSWER.search(text), DAY.search(text)
        if answered is None or made is None:
            raise ValueError(f"{path} is no page of a gate: it has no answer, or no day.")
        before, _, to = path.stem.partition(BETWEEN)
        kinds = {one["kind"]: one["answer"] for one in KIND.finditer(text)}
        return cls(before, to, answered["answer"], answered["why"], made["day"], kinds)

    @property
    def name(self) -> str:
        return f"{self.before}{BETWEEN}{self.to}.md"

    def row(self) -> str:
        upgrade = f"[{_short(self.before)} to {_short(self.to)}]({self.name})"
        return f"| {upgrade} | {self.day} | **{self.answer}** | {self.why} | {'; '.join(self._others())} |"

    def _others(self) -> Iterator[str]:
        """The kinds of source for which the answer is another."""
        for answer in dict.fromkeys(self.kinds.values()):
            if answer != self.answer:
                yield f"{answer}: {' · '.join(kind for kind, one in self.kinds.items() if one == answer)}"


def _short(version: str) -> str:
    """As people call a release; a build of main by its whole version."""
    return version.removesuffix("-incubating")


def table(folder: Path = FOLDER) -> str:
    """A row a page, the oldest release first."""
    pages = [GateHead.read(path) for path in folder.glob(f"*{BETWEEN}*.md")]
    pages.sort(key=lambda one: (release(one.before).order, release(one.to).order))
    head = "| upgrade | made | is it safe in place? | why | another answer for |\n|---|---|---|---|---|"
    return "\n".join([head, *(page.row() for page in pages)])


def write(folder: Path = FOLDER) -> None:
    """Puts the table into the folder's README, between its marks; what people wrote around it stays."""
    file = folder / README
    text = file.read_text(encoding="utf-8") if file.is_file() else f"# Upgrades\n\n{BEGIN}\n{END}\n"
    file.write_text(with_part(text, BEGIN, END, f"\n{table(folder)}\n", file), encoding="utf-8")


if __name__ == "__main__":
    write()
