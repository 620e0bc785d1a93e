"""The published measurement, layer by layer: `select count(1) from shipping_address where zip_code = '10001'`."""

from fixtures.expect_hudi import ExpectHudi
from subjects.hudi_tables import BOTH_INDEXED, ONE_STATE_IN_TWENTY, PUBLISHED, over_hudi
from xtable_audit.hudi.claims import answers, layers


@over_hudi(*PUBLISHED)
def test_the_indexes_are_there(hudi: ExpectHudi, hudi_table: str) -> None:
    """The table says that it has the indexes it was written with."""
    hudi(hudi_table).has_its_indexes()


@over_hudi(*PUBLISHED)
def test_every_question_is_answered(hudi: ExpectHudi, hudi_table: str) -> None:
    """No index fails while it is asked, in strict mode."""
    hudi(hudi_table).holds(answers.every_question_is_answered)


@over_hudi(*PUBLISHED)
def test_nothing_is_skipped_when_skipping_is_off(hudi: ExpectHudi, hudi_table: str) -> None:
    """Without skipping, every base file is read."""
    hudi(hudi_table).holds(answers.nothing_is_skipped_when_skipping_is_off)


@over_hudi(*PUBLISHED)
def test_no_row_is_lost_without_skipping(hudi: ExpectHudi, hudi_table: str) -> None:
    """Without skipping, Hudi counts the rows that match by their values."""
    hudi(hudi_table).holds(answers.no_row_is_lost_without_skipping)


@over_hudi(*PUBLISHED)
def test_no_row_is_lost_by_skipping(hudi: ExpectHudi, hudi_table: str) -> None:
    """With skipping, Hudi counts the rows that match by their values."""
    hudi(hudi_table).holds(answers.no_row_is_lost_by_skipping)


@over_hudi(*BOTH_INDEXED)
def test_partition_statistics_leave_the_partitions_that_could_match(hudi: ExpectHudi, hudi_table: str) -> None:
    """Partition statistics leave the partitions whose values could match, and no others."""
    hudi(hudi_table).holds(layers.partition_statistics_leave_the_partitions_that_could_match)


@over_hudi(*PUBLISHED)
def test_column_statistics_leave_the_files_that_could_match(hudi: ExpectHudi, hudi_table: str) -> None:
    """Column statistics leave the files whose values could match, and no others."""
    hudi(hudi_table).holds(layers.column_statistics_leave_the_files_that_could_match)


@over_hudi(*PUBLISHED)
def test_planned_files_are_those_the_layers_leave(hudi: ExpectHudi, hudi_table: str) -> None:
    """The files of the scan are those that both layers leave."""
    hudi(hudi_table).holds(layers.planned_files_are_those_the_layers_leave)


@over_hudi(*PUBLISHED)
def test_read_files_are_those_planned(hudi: ExpectHudi, hudi_table: str) -> None:
    """The store is asked for the files of the scan, and at most for one more, whose footer tells the schema."""
    hudi(hudi_table).holds(layers.read_files_are_those_planned)


@over_hudi(*ONE_STATE_IN_TWENTY)
def test_skipping_leaves_one_file_in_twenty(hudi: ExpectHudi, hudi_table: str) -> None:
    """Skipping leaves 19,304 of 393,360 files, as published, to the file at this scale."""
    hudi(hudi_table).leaves_the_published_share()
