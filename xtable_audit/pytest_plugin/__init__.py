"""The claims as pytest tests of your own tables: `pytest --iceberg-table LOCATION --pyargs xtable_audit.pytest_plugin`.

To choose claims, hold them in a test module of your own: `test_bounds = hold(bounds.bounds_contain_values)`.
"""

from xtable_audit.pytest_plugin.applies import demand
from xtable_audit.pytest_plugin.hold import hold, test_of

__all__ = ["demand", "hold", "test_of"]
