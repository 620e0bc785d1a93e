"""What a CI's log says of Maven's repository after a run that could not resolve or run all."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.local_maven import with_mirror
from tools.gate.maven_out_of_reach import WHAT_TO_DO, main


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own, to be written."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".m2").mkdir()
    return tmp_path / ".m2" / "settings.xml"


@pytest.fixture
def empty() -> Iterator[str]:
    """The host and port of a repository that has nothing: every request of it fails, by HTTP."""
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_repository_that_answers_is_no_reason(settings: Path, empty: str, capsys: pytest.CaptureFixture[str]) -> None:
    with_mirror(settings, f"http://{empty}")
    assert (main(), capsys.readouterr().out) == (0, "")


def test_one_that_does_not_is_an_annotation_which_says_what_to_do(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the host alone: the address may hold a password."""
    with_mirror(settings, "http://reader:secret@localhost:9/maven2")
    assert main() == 0
    said = "::error title=XTable audit::localhost cannot be reached (ConnectionError): "
    assert capsys.readouterr().out == f"{said}{WHAT_TO_DO}\n"


def test_settings_that_are_not_xml_are_the_reason(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings.write_text("<settings>")
    assert main() == 0
    assert "are not XML" in capsys.readouterr().out
