"""README, CONTRIBUTING and docs/ are true: their commands run, their options exist, their links and paths resolve."""

from __future__ import annotations

import re
import runpy
import shlex
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path

import hypothesis  # noqa: F401  # `tools.hunt` imports it; after a collection, whose objects are frozen, it warns
import pytest

from fixtures.options import add_options
from lab.provision.checked_register import REGISTER, register
from lab.stack.project import ROOT
from tests.of_each import Test, of_each
from tools.pages.site import anchor
from xtable_audit.address import REPOSITORY
from xtable_audit.cli.main import cli

TESTS = ROOT / "tests"
HOUSES = ("xtable_audit", "lab", "tools")
"""Folders of packages."""
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").glob("*.md")),
        ROOT / "docs" / "gates" / "README.md",
        ROOT / "docs" / "findings" / "README.md",
        ROOT / "docs" / "findings" / "withdrawn.md",
    )
}
OPTION = r"(?<![\w-])--[a-z][a-z0-9-]+"
OF_OTHERS = {"--add-opens", "--network", "--read-only", "--tmpfs", "--volume", "--profile"}
"""Options of Java and of Docker that the pages name."""
COMMANDS = "|".join(cli.commands)
EXPRESSION = r"""(?<![\w-])-k (?:"([^"]+)"|'([^']+)'|([\w-]+))"""
ALONE = {"pytest": ("-p", "xtable_audit.pytest_plugin.plugin"), "xtable_audit": ()}
"""Modules whose help is asked for in a process of their own, with their options: they start another one."""
MADE = ("out",)
"""First parts of paths that runs make."""
URLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"].get("urls", {})
TEXTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *(path for path in ROOT.glob("docs/ci/*") if path.is_file())]
PLACEHOLDERS = ("OWNER/", "@COMMIT", "github.com/owner", "<owner>")
NONE_YET = "No other address is needed, and none is published yet."


def on_pages(pattern: str) -> list[tuple[str, str]]:
    """What the pattern's group matches on each page, once."""
    return sorted({(page, found[1]) for page, text in PAGES.items() for found in re.finditer(pattern, text, re.M)})


def by_page(found: Iterable[tuple[str, str]]) -> Callable[[Test], Test]:
    """Gives a test a page, and what was `found` on it."""
    pages: dict[str, list[str]] = {}
    for page, one in found:
        pages.setdefault(page, []).append(one)
    return of_each(("page", "found"), pages.items(), ids=pages)


def commands() -> Iterator[tuple[str, str]]:
    """What follows `pytest` and stands in ARGS, up to the end of the command, by page."""
    yield from on_pages(r"(?:^|`|activate && )pytest ([^`\n#]+)")
    yield from on_pages(r'ARGS="([^"]+)"')


def options_on_pages() -> list[tuple[str, str]]:
    in_commands = {(page, option) for page, rest in commands() for option in re.findall(OPTION, rest)}
    return sorted(in_commands | set(on_pages(rf"`({OPTION})")))


def modules() -> list[tuple[str, str, str]]:
    """Page, module and option; the option is empty where a page names the module alone."""
    found: set[tuple[str, str, str]] = set()
    for page, text in PAGES.items():
        for module, rest in re.findall(r"python -m ((?:tools )?[\w.]*\w)(?![\w.<])([^`\n#]*)", text):
            found |= {(page, module.replace(" ", "."), option) for option in re.findall(OPTION, rest) or [""]}
    return sorted(found)


def expressions() -> list[tuple[str, str]]:
    return sorted({(page, "".join(found)) for page, rest in commands() for found in re.findall(EXPRESSION, rest)})


def paths() -> list[tuple[str, str]]:
    """Files and folders of the project in backticks, and the files of pytest's commands."""
    tops = "|".join(sorted(re.escape(path.name) for path in ROOT.iterdir() if not path.name.startswith((".", "_"))))
    return on_pages(rf"(?:`|pytest \"?)((?:{tops})(?:/[\w./-]*)?)(?=`|::| )")


def links() -> list[tuple[str, str]]:
    return [(page, target) for page, target in on_pages(r"\]\(([^)\s]+)\)") if "://" not in target]


def heading_ids(text: str) -> set[str]:
    """As GitHub makes them of headings."""
    return set(map(anchor, re.findall(r"^#+ (.+)$", text, re.M)))


def options() -> list[str]:
    """Those that pytest has for an audit."""
    parser = pytest.Parser(_ispytest=True)
    add_options(parser)
    return [option.names()[0] for option in parser.getgroup("xtable-audit").options]


def packages() -> list[str]:
    """Folders of code, as docs/how-it-works.md names them."""
    return sorted(
        {
            str(init.parent.relative_to(ROOT))
            for folder in (*ROOT.iterdir(), *(one for house in HOUSES for one in (ROOT / house).iterdir()))
            for init in folder.glob("*.py")
            if folder.is_dir() and not folder.name.startswith(".") and folder.name not in HOUSES
        }
        | {"suites"}
    )


@cache
def usage(module: str) -> str:
    """Its help: of a module of ours in this process, for which Python starts anew what is imported here already."""
    if module in ALONE:
        command = [sys.executable, "-m", module, *ALONE[module], "--help"]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    with pytest.MonkeyPatch.context() as here, redirect_stdout(StringIO()) as printed, warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a module that is imported here already
        here.chdir(ROOT)
        here.setattr(sys, "argv", [module, "--help"])
        assert not _status(module)
    return printed.getvalue()


def _status(module: str) -> object:
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code
    return None


@cache
def collected() -> str:
    """The ids of all tests of the suites, engines' readers included."""
    command = [sys.executable, "-m", "pytest", "suites", "--collect-only", "-q", "--recorded", "--readers", "all"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


# README, CONTRIBUTING and docs/ are true: their commands run, their options exist, their links and paths resolve.


def test_readme_is_short() -> None:
    assert len(README.splitlines()) <= 150


@pytest.mark.parametrize("words", ["faults of XTable", "faults of Hudi's own indexes", "of readers;"])
def test_faults_are_counted(words: str) -> None:
    stated = re.search(rf"(\d+) {words}", README)
    assert stated is not None, f"the README no longer says how many {words} there are"
    of = {"xtable": "faults of XTable", "hudi": "faults of Hudi's own indexes"}
    assert int(stated[1]) == sum(of.get(entry.components[0], "of readers;") == words for entry in register(REGISTER))


def test_every_option_of_an_audit_is_documented() -> None:
    documented = {*re.findall(rf"^\| `({OPTION})", PAGES["docs/running.md"], re.M)}
    assert {*options()} <= documented


@by_page(options_on_pages())
def test_option_is_one_of_pytests_or_of_a_command_on_the_page(page: str, found: list[str]) -> None:
    known = {*OF_OTHERS, *_of_modules(page), *_of_commands(page), *re.findall(OPTION, usage("pytest"))}
    assert {*found} <= known


def _of_commands(page: str) -> set[str]:
    """Options of the subcommands of `xtable-audit` that the page names."""
    named = set(re.findall(r"xtable-audit ([a-z]+)", PAGES[page])) & {*cli.commands}
    return {option for name in named for one in cli.commands[name].params for option in one.opts}


@of_each(("page", "words"), on_pages(rf"(?:^|`)xtable-audit ((?:{COMMANDS}) [^`\n#]+)"))
def test_command_line_of_xtable_audit_is_understood(page: str, words: str) -> None:
    """Up to the table, which is not here."""
    name, *given = shlex.split(words)
    cli.commands[name].make_context(name, given)


def _of_modules(page: str) -> set[str]:
    """Options of modules that the page runs: a sentence beside the command may name one alone."""
    return {option for where, module, _ in modules() if where == page for option in re.findall(OPTION, usage(module))}


@of_each(("page", "module", "option"), modules())
def test_module_runs_and_has_the_option(page: str, module: str, option: str) -> None:
    assert re.search(rf"{option}(?![\w-])", usage(module)), f"{page} names {option} of {module}"


@of_each(("page", "target"), on_pages(r"(?:^|`|- run: )make ([a-z-]+)"))
def test_target_is_in_the_makefile(page: str, target: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{target}:", makefile, re.M), f"{page} names make {target}"


@of_each(("page", "expression"), expressions())
def test_word_after_k_is_in_the_id_of_a_test(page: str, expression: str) -> None:
    words = set(re.findall(r"[\w.-]+", expression)) - {"and", "or", "not"}
    assert {word for word in words if word not in collected()} == set(), f"{page}: no test has these words"


@of_each(("page", "node"), on_pages(r'pytest "(suites/[^"]+)"'))
def test_test_that_a_page_names_exists(page: str, node: str) -> None:
    assert node in collected(), f"{page} names {node}"


@by_page(paths())
def test_paths_exist(page: str, found: list[str]) -> None:
    assert not [path for path in found if path.split("/")[0] not in MADE and not (ROOT / path).exists()], page


@by_page(links())
def test_links_resolve(page: str, found: list[str]) -> None:
    assert not [link for link in found if not resolves(page, link)], page


def resolves(page: str, link: str) -> bool:
    file, _, heading = link.partition("#")
    target = (ROOT / page).parent / file if file else ROOT / page
    return target.exists() and (not heading or heading in heading_ids(target.read_text(encoding="utf-8")))


def test_every_package_has_its_line() -> None:
    """Whoever opens the project finds the room of any line."""
    assert {*packages()} <= {*re.findall(r"^\| `([^`]+)` \|", PAGES["docs/how-it-works.md"], re.M)}


def test_every_folder_of_tests_is_one_of_the_source_or_described() -> None:
    section = PAGES["docs/how-it-works.md"].partition("| folder | what is in it |")[2].partition("\n\n")[0]
    described = {*re.findall(r"^\| `([^`]+)` \|", section, re.M)}
    folders = {"/".join(file.relative_to(TESTS).parts[:-1][:2]) for file in TESTS.rglob("*.py")}
    others = {folder for folder in folders if not any((ROOT / folder).rglob("*.py"))}
    assert {folder.partition("/")[0] for folder in others} == described


# The project's public address: one variable, and every text that follows from it.


def test_what_is_installed_names_the_same_address() -> None:
    assert ({"Repository": REPOSITORY} if REPOSITORY else {}) == {**URLS}


def test_the_page_about_ci_names_the_address_or_that_there_is_none() -> None:
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    assert (NONE_YET in text, bool(REPOSITORY) and REPOSITORY in text) == (not REPOSITORY, bool(REPOSITORY))


@of_each("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_has_a_placeholder(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert [word for word in PLACEHOLDERS if word in text] == []
