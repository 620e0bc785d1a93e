"""The source's data layout by its actual values. The bad layout is the negative control."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import BADLY_LAID_OUT, WELL_LAID_OUT, each_target
from xtable_audit.claims import layout

test_files_do_not_overlap = hold(layout.files_do_not_overlap, over(each_target(WELL_LAID_OUT)))
test_every_file_holds_one_value_of_its_own = hold(
    layout.every_file_holds_one_value_of_its_own, over(each_target(WELL_LAID_OUT))
)
test_negative_control_overlaps_everywhere = hold(
    layout.negative_control_overlaps_everywhere, over(each_target(BADLY_LAID_OUT))
)
