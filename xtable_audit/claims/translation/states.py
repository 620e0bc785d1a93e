"""Claims about the current metadata, for the state after each earlier sync: readers answered by it at that time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from xtable_audit.claims import bounds, counts, partition
from xtable_audit.claims.deviation import Deviation, TableClaim
from xtable_audit.claims.translation import columns
from xtable_audit.model.claim import Need, claim
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case
from xtable_audit.subject.earlier_states import Earlier

Like = tuple[str | int | None, str, Verdict | None, str]


def after_each_sync(current: TableClaim, *, of_files: bool = True) -> TableClaim:
    """The claim about the states after earlier syncs. A deviation whose like the last state has is not repeated.

    Without `of_files` it compares no actual values, and judges each state as a whole.
    """

    def check(case: Case) -> Iterator[Deviation]:
        found = list(_found(case))
        known = {like for one in current.check(case) for like in _likes(case, one)} if found else set()
        for one, then, deviation in found:
            if known.isdisjoint(_likes(then, deviation)):
                yield _located(case, then, deviation, one.words)

    def _found(case: Case) -> Iterator[tuple[Earlier, Case, Deviation]]:
        for one, then in _states(case, of_files):
            if current.lacks(then) is None:
                yield from ((one, then, deviation) for deviation in current.check(then))

    check.__name__ = f"{current.id}_after_a_sync"
    need = Need[Case](
        f"an earlier sync that left, unlike the last one, {current.needs[0].words}",
        lambda case: sum(current.lacks(then) is None for _, then in _states(case, of_files)),
        why=partial(_why, of_files),
    )
    sentence = f"after every sync, {current.sentence}"
    return claim(sentence, needs=need, spec=current.spec, breaks=current.breaks, of=current.of)(check)


def _states(case: Case, of_files: bool) -> Iterable[tuple[Earlier, Case]]:
    return ((one, one.case if of_files else one.whole) for one in case.earlier)


def _why(of_files: bool, case: Case) -> str:
    aside = sum(len(one.set_aside) for one in case.earlier) if of_files else 0
    return f"{many(aside, 'file')} of earlier syncs cannot be read any more" if aside else ""


def _likes(case: Case, one: Deviation) -> Iterator[Like]:
    """What identifies the deviation: its column by name, and by field id, which a renamed column keeps."""
    how = one.kind, one.verdict, one.stored
    ids = case.stored.native.field_ids
    yield one.column, *how
    if one.column is not None and one.column in ids:
        yield ids[one.column], *how


def _located(case: Case, then: Case, found: Deviation, words: str) -> Deviation:
    """The deviation at the places of its files in the last state."""
    paths = then.stored.paths
    wrong = {paths[place] for place in found.places}
    live = tuple(place for place, path in enumerate(case.stored.paths) if path in wrong)
    return replace(found, places=live, saw=f"{found.saw} {words}", example=None)


bounds_contain_values_after_a_sync = after_each_sync(bounds.bounds_contain_values)
bounds_are_of_the_columns_type_after_a_sync = after_each_sync(bounds.bounds_are_of_the_columns_type)
record_counts_are_exact_after_a_sync = after_each_sync(counts.record_counts_are_exact)
value_counts_are_exact_after_a_sync = after_each_sync(counts.value_counts_are_exact)
null_counts_are_exact_after_a_sync = after_each_sync(counts.null_counts_are_exact)
nan_counts_are_exact_after_a_sync = after_each_sync(counts.nan_counts_are_exact)
spec_is_the_configured_one_after_a_sync = after_each_sync(partition.spec_is_the_configured_one, of_files=False)
tuples_equal_every_row_after_a_sync = after_each_sync(partition.tuples_equal_every_row)
summaries_cover_every_tuple_after_a_sync = after_each_sync(partition.summaries_cover_every_tuple, of_files=False)
no_column_is_left_over_after_a_sync = after_each_sync(columns.no_column_is_left_over, of_files=False)
