"""Deletion vectors, of format version 3."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import MAY_HAVE_DELETES
from xtable_audit.formats.iceberg.claims import deletion_vectors

test_vectors_are_where_the_footer_has_them = hold(
    deletion_vectors.vectors_are_where_the_footer_has_them, over(MAY_HAVE_DELETES)
)
test_vectors_name_their_files = hold(deletion_vectors.vectors_name_their_files, over(MAY_HAVE_DELETES))
test_vectors_have_their_cardinality = hold(deletion_vectors.vectors_have_their_cardinality, over(MAY_HAVE_DELETES))
test_vectors_are_of_live_files = hold(deletion_vectors.vectors_are_of_live_files, over(MAY_HAVE_DELETES))
test_vectors_are_one_a_file = hold(deletion_vectors.vectors_are_one_a_file, over(MAY_HAVE_DELETES))
test_vectors_hold_older_deletes = hold(deletion_vectors.vectors_hold_older_deletes, over(MAY_HAVE_DELETES))
