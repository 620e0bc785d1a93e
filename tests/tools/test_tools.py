"""`python -m tools`: the one door to what maintainers run."""

from __future__ import annotations

import subprocess
import sys

import pytest

from lab.stack.project import ROOT
from tools.__main__ import COMMANDS, main


def test_every_command_is_listed_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    main([])
    names_and_sentences = capsys.readouterr().out.splitlines()[2:]
    assert [name.strip() for name in names_and_sentences[::2]] == [*COMMANDS]
    assert all(sentence.strip().endswith(".") for sentence in names_and_sentences[1::2])


@pytest.mark.parametrize("package", ["gate", "pages", "reproduce"])
def test_no_module_that_has_arguments_is_left_out(package: str) -> None:
    """A module with a parser of arguments is a command."""
    folder = ROOT / "tools" / package
    parsing = {file.stem for file in folder.glob("*.py") if "argparse.ArgumentParser(" in file.read_text()}
    listed = {name.partition(".")[2] or "__main__" for name in COMMANDS if name.partition(".")[0] == package}
    assert parsing <= listed


def test_a_command_gets_the_arguments_after_its_name() -> None:
    command = [sys.executable, "-m", "tools", "frozen", "--help"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.startswith("usage: python -m tools frozen")) == (0, True), ran.stderr


def test_another_name_is_answered_with_those_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["page.site"])
    assert (ended.value.code, "there is no tool 'page.site'; there are gate," in capsys.readouterr().err) == (2, True)
