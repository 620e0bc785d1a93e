"""Predicates on every column, made from actual values: which files planners drop by the metadata."""

from fixtures.claims import hold
from fixtures.over import by_planners, over
from lab.subjects.groups import ALL, each_target
from xtable_audit.claims.readers import pruning

test_no_matching_file_is_dropped = hold(pruning.no_matching_file_is_dropped, by_planners(), over(each_target(ALL)))
test_planners_agree = hold(pruning.planners_agree, over(each_target(ALL)))
