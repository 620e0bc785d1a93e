"""How many files bounds let a point predicate skip, against exact ones."""

from fixtures.claims import hold
from subjects.tables import ALL, over
from xtable_audit.claims import bounds

test_points_skip_what_exact_bounds_would = hold(bounds.points_skip_what_exact_bounds_would, over(*ALL))
