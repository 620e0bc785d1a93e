"""The claims as pytest tests of your own tables: `pytest --table LOCATION`.

To choose claims, hold them in a test module of your own: `test_bounds = hold(bounds.bounds_contain_values)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xtable_audit.pytest_plugin.holding import hold, test_of

__all__ = ["hold", "test_of"]
HOMES = {"hold": "holding", "test_of": "holding"}


def __getattr__(name: str) -> Any:
    """Late: pytest imports this package for every run where it is installed, and claims take a second."""
    if name not in HOMES:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
