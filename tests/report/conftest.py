"""The browser, for every test of pages."""

from tests.report.browser import browser

__all__ = ["browser"]
