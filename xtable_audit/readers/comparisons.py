"""The comparisons of `xtable_audit.model.predicate` for engines whose columns overload Python's operators."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from xtable_audit.model.predicate import Operator

COMPARISONS: Mapping[Operator, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
