"""The README says what is true now: its commands are there, its options are known, its faults are counted."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from fixtures import known
from fixtures.options import add_options

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
OPTION = r"(?<![\w-])--[a-z][a-z-]+"
TARGETS = sorted(set(re.findall(r"(?:^|`|- run: )make ([a-z-]+)", README, re.MULTILINE)))
MODULES = sorted(
    {
        (module, option)
        for module, rest in re.findall(r"python -m ([\w.]+)([^`\n#]*)", README)
        for option in re.findall(OPTION, rest)
    }
)


def options() -> list[str]:
    """Those that pytest has for an audit."""
    parser = pytest.Parser(_ispytest=True)
    add_options(parser)
    return [option.names()[0] for option in parser.getgroup("xtable-audit").options]


@cache
def usage(module: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", module, "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.parametrize(
    ("words", "component"), [("faults that we have seen on XTable", "xtable"), ("of Hudi's own indexes", "hudi")]
)
def test_faults_are_counted(words: str, component: str) -> None:
    told = re.search(rf"(\d+) {words}", README)
    assert told is not None, f"the README no longer tells how many are the {words}"
    assert int(told[1]) == sum(entry.component == component for entry in known.register(known.REGISTER))


@pytest.mark.parametrize("option", options())
def test_every_option_of_an_audit_is_told(option: str) -> None:
    assert re.search(rf"`{option}(?![\w-])", README), f"{option} is not in the README's table of options"


@pytest.mark.parametrize("option", sorted(set(re.findall(rf"^\| `({OPTION})", README, re.MULTILINE))))
def test_every_option_told_is_one(option: str) -> None:
    assert option in options()


@pytest.mark.parametrize(("module", "option"), MODULES)
def test_option_of_a_module_is_in_its_help(module: str, option: str) -> None:
    assert re.search(rf"{option}(?![\w-])", usage(module))


@pytest.mark.parametrize("target", TARGETS)
def test_target_is_in_the_makefile(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
