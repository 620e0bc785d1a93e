"""The manifest list against the manifests that it lists."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import ALL
from xtable_audit.formats.iceberg.claims import manifests

test_manifest_counts_are_exact = hold(manifests.manifest_counts_are_exact, over(ALL))
test_tuples_have_the_ids_of_the_spec = hold(manifests.tuples_have_the_ids_of_the_spec, over(ALL))
test_headers_are_those_of_the_table = hold(manifests.headers_are_those_of_the_table, over(ALL))
test_manifest_lengths_are_exact = hold(manifests.manifest_lengths_are_exact, over(ALL))
test_sequence_numbers_are_those_of_snapshots = hold(manifests.sequence_numbers_are_those_of_snapshots, over(ALL))
