"""A real browser without a window: Chromium and its driver, of Debian's packages chromium and chromium-driver."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from xtable_audit.model.problem import Problem

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
