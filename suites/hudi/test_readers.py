"""What Hudi's reader on Spark shows of the tables that XTable wrote as Hudi, with data skipping and without."""

from fixtures.claims import hold
from fixtures.over import by_questions, by_readers, over
from lab.subjects.groups import ENDS, IN_HUDI
from xtable_audit.formats.hudi.claims import shown

test_reader_shows_the_rows_of_the_source = hold(
    shown.reader_shows_the_rows_of_the_source,
    by_questions(ENDS),
    by_readers(),
    over(IN_HUDI),
)
