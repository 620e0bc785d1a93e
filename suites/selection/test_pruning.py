"""Predicates on every column, made from actual values: which files planners drop by the metadata."""

import pytest

from fixtures.claims import hold
from fixtures.over import over
from subjects.groups import ALL, each_target
from xtable_audit.claims.readers import pruning
from xtable_audit.planning.planners import PLANNERS

test_no_matching_file_is_dropped = hold(
    pruning.no_matching_file_is_dropped, pytest.mark.parametrize("planner", PLANNERS), over(each_target(ALL))
)
test_planners_agree = hold(pruning.planners_agree, over(ALL))
