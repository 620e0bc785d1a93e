"""What draws pictures is loaded with the first picture."""

from __future__ import annotations

import subprocess
import sys

import pytest

from xtable_audit.model.late import late

SHOWS = "import sys; from xtable_audit.report.html import pictures; {}print('altair' in sys.modules)"


@pytest.mark.parametrize(
    ("use", "loaded"), [("", "False"), ("pictures.draw.GREY; ", "True")], ids=["a page of words", "a picture"]
)
def test_altair_is_loaded_where_something_is_drawn(use: str, loaded: str) -> None:
    command = [sys.executable, "-c", SHOWS.format(use)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == loaded


def test_a_module_that_is_not_there_is_missed_at_once() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'xtable_audit\.nowhere'"):
        late("xtable_audit.nowhere")
