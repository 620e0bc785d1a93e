"""The baseline: Hudi's own reader on Spark over the source, with data skipping off and on."""

import pytest

from fixtures.claims import hold
from fixtures.over import by_questions, over
from xtable_audit.claims.readers import reading

of_the_source = (
    by_questions(),
    pytest.mark.parametrize("skipping", [False, True], ids=["without_skipping", "with_skipping"]),
    pytest.mark.parametrize("reader", ["spark"]),
    over("good_layout-xtable", "bad_layout-xtable"),
)

test_source_rows_are_those_of_the_files = hold(reading.source_rows_are_those_of_the_files, *of_the_source)
test_every_matching_file_of_the_source_is_read = hold(reading.every_matching_file_of_the_source_is_read, *of_the_source)
test_translation_prunes_as_well_as_the_source = hold(reading.translation_prunes_as_well_as_the_source, *of_the_source)
