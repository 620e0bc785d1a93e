"""Every claim by its id. Importing this imports all modules of claims."""

from xtable_audit.claims.hudi import answers, bounds, counts, coverage, layers, published
from xtable_audit.claims.iceberg import bounds as iceberg_bounds
from xtable_audit.claims.iceberg import counts as iceberg_counts
from xtable_audit.claims.iceberg import data_files, layout, manifests, partition, readable, schema, snapshots
from xtable_audit.claims.readers import decoded_bounds, planning, pruning, reading
from xtable_audit.claims.translation import files, history, paired_tables, refusal, rows
from xtable_audit.model.claim import CLAIMS

MODULES = (
    *(answers, bounds, counts, coverage, layers, published),
    *(iceberg_bounds, iceberg_counts, data_files, layout, manifests, partition, readable, schema, snapshots),
    *(decoded_bounds, planning, pruning, reading),
    *(files, history, paired_tables, refusal, rows),
)
EVERY_CLAIM = CLAIMS
