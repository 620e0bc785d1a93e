"""A set of live files is the set of their paths."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from xtable_audit.planning.file_set import LiveFiles

ENTRIES = st.lists(st.tuples(st.sampled_from("abcdefghijkl"), st.booleans(), st.booleans()), max_size=20)
drawn = settings(derandomize=True, database=None, deadline=None)


@drawn
@given(entries=ENTRIES, others=st.frozensets(st.sampled_from("abxy")))
def test_it_combines_as_sets_of_paths_do(entries: list[tuple[str, bool, bool]], others: frozenset[str]) -> None:
    """With one of the same files, and with a set of others. A path may be listed twice."""
    files = LiveFiles.of(pa.chunked_array([[path for path, _, _ in entries]], pa.string()))
    masks = [np.array([entry[place] for entry in entries], dtype=bool) for place in (1, 2)]
    mine, theirs = (files.among(mask) for mask in masks)
    one, two = (frozenset(path for (path, *_), is_in in zip(entries, mask, strict=True) if is_in) for mask in masks)
    assert (len(mine), frozenset(mine), mine == theirs) == (len(one), one, one == two)
    assert (mine - theirs, others - mine, mine | others) == (one - two, others - one, one | others)
    assert (mine == one, one == mine, hash(mine) == hash(one)) == (True, True, True)


@drawn
@given(entries=ENTRIES, of_other=st.permutations("abcdefghijkl"))
def test_sets_of_two_planners_compare_by_their_paths(
    entries: list[tuple[str, bool, bool]], of_other: list[str]
) -> None:
    """Each planner has a list of the live files of its own: the same one, in another order, or of other files."""
    paths = [path for path, _, _ in entries]
    masks = [np.array([entry[place] for entry in entries], dtype=bool) for place in (1, 2)]
    one, two = (frozenset(path for (path, *_), is_in in zip(entries, mask, strict=True) if is_in) for mask in masks)
    mine = LiveFiles.of(pa.chunked_array([paths], pa.string())).among(masks[0])
    again = LiveFiles.of(pa.chunked_array([paths], pa.string())).among(masks[1])
    other = LiveFiles.of(pa.chunked_array([of_other], pa.string())).among(np.array([path in two for path in of_other]))
    assert (mine == again, mine == other, again == other) == (one == two, one == two, True)


def test_what_is_no_live_file_is_not_in_it() -> None:
    files = LiveFiles.of(pa.chunked_array([["a"]]))
    assert [path in files.among(np.array([True])) for path in ("a", "b", None)] == [True, False, False]
