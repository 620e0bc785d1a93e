"""Tables of strangers: whatever their metadata holds, the answer is a list of findings or one sentence."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.of_each import of_each
from tools.pages.affected import recorded_sources
from xtable_audit.affected.affected import affected, refusal
from xtable_audit.affected.answer import TargetAnswer, Weighed
from xtable_audit.affected.releases import covered
from xtable_audit.affected.render import rendered
from xtable_audit.formats.configuration import Configuration, parse_spec
from xtable_audit.formats.named_source import read_source
from xtable_audit.model.finding import Verdict
from xtable_audit.model.printable import printable
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import TARGETS
from xtable_audit.register.bundled import bundled_register, path_of_register

TABLES = (
    "delta_mapped", "delta_vectors", "delta_nested", "history_restore", "history_clean", "history_overwrite_table",
    "mor_deleted", "types_nested_index", "v6_index_120", "v9_native",
)  # fmt: skip
ODD: tuple[Any, ...] = (None, "x", -1, 1.5, [], {}, [1], {"a": 1}, True, "\x1b[2J", 10**30, "NaN")
LONGEST = 600
"""Characters of a sentence about bad input."""


def mutated(value: Any, draw: random.Random) -> Any:
    """The parsed JSON with one value replaced or one key removed, JSON in texts included."""
    if isinstance(value, dict) and value:
        key = draw.choice(list(value))
        if draw.random() < 0.1:
            return {name: of for name, of in value.items() if name != key}
        return value | {key: draw.choice(ODD) if draw.random() < 0.3 else mutated(value[key], draw)}
    if isinstance(value, list) and value:
        place = draw.randrange(len(value))
        return [*value[:place], mutated(value[place], draw), *value[place + 1 :]]
    if isinstance(value, str) and value.startswith(("{", "[")):
        return json.dumps(mutated(json.loads(value), draw))
    return draw.choice(ODD)


def broken(content: bytes, draw: random.Random) -> bytes:
    """Other bytes in some places, or the end cut off."""
    if draw.random() < 0.2:
        return content[: draw.randrange(len(content) + 1)]
    changed = bytearray(content)
    for _ in range(draw.randint(1, 6) if content else 0):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed)


def mutant(file: Path, draw: random.Random) -> bytes:
    content = file.read_bytes()
    if not content.startswith((b"{", b"[")) or draw.random() < 0.3:
        return broken(content, draw)
    try:
        return json.dumps(mutated(json.loads(content), draw)).encode()
    except json.JSONDecodeError:  # a commit of Delta has an action on each line
        lines = content.splitlines()
        place = draw.randrange(len(lines))
        lines[place] = json.dumps(mutated(json.loads(lines[place]), draw)).encode()
        return b"\n".join(lines)


def answer(table: str, root: Path, target: str) -> str:
    """What is printed of the table: the findings, or a sentence."""
    kind, config = ("delta", None) if table.startswith("delta") else ("hudi", Configuration(parse_spec("part:VALUE")))
    release, entries = covered(path_of_register())[-1].to(target), bundled_register()
    try:
        source = read_source(f"{kind}:{root}", config)
    except Problem as error:
        return printable(str(error))
    found = affected(source, release, entries)
    weighed = Weighed.of(found, Verdict.COSMETIC, (), (), names=())
    return rendered(source, TargetAnswer(release, found, weighed, refusal(source, release)), entries, names_target=True)


@pytest.mark.parametrize("table", TABLES)
@of_each("seed", range(8), ids=lambda seed: f"mutant {seed}")
def test_a_mutant_ends_in_an_answer_or_a_sentence(table: str, seed: int, tmp_path: Path) -> None:
    draw = random.Random(f"{table}{seed}")
    root = tmp_path / str(seed) / table
    shutil.copytree(recorded_sources() / table, root)
    own = {".hoodie", "_delta_log"}
    files = sorted(path for path in root.rglob("*") if path.is_file() and own & {*path.parts})
    file = draw.choice([path for path in files if "metadata" not in path.parts])
    file.write_bytes(mutant(file, draw))
    told = answer(table, root, draw.choice(TARGETS)).rstrip()
    assert "\x1b" not in told
    assert told.splitlines()[-1].startswith(("AFFECTED", "NOT AFFECTED")) or ("\n" not in told and len(told) < LONGEST)
