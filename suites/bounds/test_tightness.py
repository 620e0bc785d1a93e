"""How many files stored bounds let a point predicate skip, compared with actual bounds."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import ALL, each_target
from xtable_audit.claims import bounds

test_points_skip_what_exact_bounds_would = hold(bounds.points_skip_what_exact_bounds_would, over(each_target(ALL)))
