"""Every claim by its id. Importing this imports all modules of claims."""

from xtable_audit.claims import bounds as iceberg_bounds
from xtable_audit.claims import counts as iceberg_counts
from xtable_audit.claims import layout, partition, readable
from xtable_audit.claims.readers import answering, decoded_bounds, planning, pruning, reading
from xtable_audit.claims.translation import columns, files, history, paired_tables, refusal, rows, states, syncs
from xtable_audit.formats.delta.claims import log, protocol
from xtable_audit.formats.hudi.claims import answers, bounds, counts, coverage, layers, listing, published, shown
from xtable_audit.formats.iceberg.claims import (
    commits,
    data_files,
    delete_files,
    deletion_vectors,
    manifests,
    metadata_json,
    row_lineage,
    schema,
    snapshots,
    statistics,
)
from xtable_audit.formats.iceberg.claims import states as iceberg_states
from xtable_audit.formats.iceberg.claims import syncs as iceberg_syncs
from xtable_audit.model.claim import CLAIMS

MODULES = (
    *(answers, bounds, counts, coverage, layers, listing, published, shown),
    *(delete_files, deletion_vectors, row_lineage, statistics),
    *(iceberg_bounds, iceberg_counts, commits, data_files, layout, manifests, metadata_json, partition),
    *(readable, schema, snapshots),
    *(log, protocol),
    *(answering, decoded_bounds, planning, pruning, reading),
    *(columns, files, history, paired_tables, refusal, rows, states, syncs),
    *(iceberg_states, iceberg_syncs),
)
EVERY_CLAIM = CLAIMS
HELD_FIRST = frozenset({reading.reader_can_read_the_table.id})
"""Claims that are checked before every other one about the same subject, and have no test of their own."""
