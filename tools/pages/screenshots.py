"""Writes docs/images/ again, of the report of a whole audit: `python -m tools pages.screenshots AUDIT_JSON`."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from lab.stack.project import ROOT
from xtable_audit.model.problem import Problem
from xtable_audit.report.document import Document, UnreadableDocument
from xtable_audit.report.html.template import render

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
DRIVER = "chromedriver"
DESKTOP, PHONE = (1280, 800), (390, 844)
Scheme = Literal["light", "dark"]


class Browser:
    """One tab. Pages are files of this disk, and the browser has no network."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self._driver = driver

    def open(self, page: Path, to: str = "", *, size: tuple[int, int] = DESKTOP, scheme: Scheme = "light") -> None:
        self._driver.get("about:blank")
        self.messages()
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == PHONE}
        self.devtools("Emulation.setDeviceMetricsOverride", metrics)
        self.devtools("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self._driver.get(page.as_uri() + to)

    def devtools(self, method: str, parameters: dict[str, Any]) -> Any:
        return self._driver.execute_cdp_cmd(method, parameters)

    @contextmanager
    def without_script(self) -> Iterator[None]:
        self.devtools("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            yield
        finally:
            self.devtools("Emulation.setScriptExecutionDisabled", {"value": False})

    def run(self, script: str, *arguments: Any) -> Any:
        return self._driver.execute_script(script, *arguments)

    def wait_for(self, script: str) -> Any:
        """What an asynchronous script gives to its last argument."""
        return self._driver.execute_async_script(script)

    def all(self, selector: str) -> list[WebElement]:
        return self._driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self._driver.find_element(By.CSS_SELECTOR, selector)

    def save(self, file: Path) -> None:
        """What is seen, as a PNG."""
        file.write_bytes(self._driver.get_screenshot_as_png())

    def messages(self) -> list[str]:
        """What the console says since the page was opened."""
        return [entry["message"] for entry in self._driver.get_log("browser")]  # type: ignore[no-untyped-call]


@contextmanager
def opened() -> Iterator[Browser]:
    """A new browser. Raises Problem where none is installed."""
    program, driver = _program(*BROWSERS), _program(DRIVER)
    if program is None or driver is None:
        raise Problem("no browser: apt-get install chromium chromium-driver")
    options = Options()
    options.binary_location = program
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for option in ("--headless=new", "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-background-networking"):
        options.add_argument(option)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # which Chromium demands of root
    started = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield Browser(started)
    finally:
        started.quit()


def _program(*names: str) -> str | None:
    return next((found for name in names if (found := shutil.which(name))), None)


IMAGES = ROOT / "docs" / "images"
FINDING = "XTF-004"
"""Timestamps in milliseconds: the first finding of the README."""
BAD_INPUT, NO_BROWSER = 4, 6


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools pages.screenshots", description=__doc__)
    parser.add_argument("document", type=Path, metavar="AUDIT_JSON")
    try:
        take(Document.load(parser.parse_args(arguments).document), IMAGES)
    except UnreadableDocument as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    except Problem as problem:
        print(problem, file=sys.stderr)
        return NO_BROWSER
    return 0


def take(document: Document, folder: Path) -> None:
    """The first screen, and one finding in full. Raises Problem without a browser, or for a run without the finding."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch, opened() as browser:
        page = Path(scratch) / "report.html"
        page.write_text(render(document), encoding="utf-8")
        browser.open(page)
        browser.save(folder / "report.png")
        found = browser.all(f'details.finding[data-name="{FINDING}"]')
        if not found:
            raise Problem(f"the run has not found {FINDING}: name the audit.json of a whole audit")
        browser.run("arguments[0].open = true", found[0])
        found[0].screenshot(str(folder / "finding.png"))


if __name__ == "__main__":
    sys.exit(main())
