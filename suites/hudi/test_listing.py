"""What only a Hudi table's metadata table can break: its listing of files, from which readers list."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import IN_HUDI
from xtable_audit.formats.hudi.claims import listing

test_listing_is_that_of_the_timeline = hold(listing.listing_is_that_of_the_timeline, over(IN_HUDI))
