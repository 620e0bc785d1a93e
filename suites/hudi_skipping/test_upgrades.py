"""Tables that XTable cannot read, from the start or after an upgrade: it refuses them and keeps the old translation."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import REFUSED
from xtable_audit.claims.translation import refusal

test_a_version_that_cannot_be_read_is_refused = hold(refusal.a_version_that_cannot_be_read_is_refused, over(REFUSED))
