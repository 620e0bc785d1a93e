"""Tables that XTable cannot read, from the start or after an upgrade: it refuses them and keeps the old translation."""

from fixtures.claims import hold
from fixtures.over import over
from subjects.groups import REFUSED, UPGRADED
from xtable_audit.claims.translation import files, history, refusal

test_a_version_that_cannot_be_read_is_refused = hold(refusal.a_version_that_cannot_be_read_is_refused, over(REFUSED))
test_failure_leaves_the_table_as_it_was = hold(history.failure_leaves_the_table_as_it_was, over(UPGRADED))
test_every_file_exists = hold(files.every_file_exists, over(UPGRADED))
