"""XTF-073: Delta: a table that is partitioned by a field of a struct fails the sync

XTable writes Delta by Delta Kernel where its target has the property xtable.delta.target.use_kernel=true. Its
command line, RunSync, passes no properties to a target, so there is no config.yaml. What does: XTable's API
(TargetTable.additionalProperties, which Sync.java sets), Hudi's sync tool XTableSyncTool
(hoodie.xtable.delta.target.use_kernel=true), and RunCatalogSync, which hands on the parameters of a table that
it finds in a Hive or Glue catalog.

A column inside a struct, hive style. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'partition_in_struct',
    partition_by=['st.level'],
    spec='st.level:VALUE',
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `st` STRUCT<`level`: STRING>, `i` INT, `id` STRING',
    [
        [  # a data file
            "('k0000', named_struct('level', CAST('info' AS STRING)), 0, 'id0')",
        ],
        [  # a data file
            "('k0001', named_struct('level', CAST('warn' AS STRING)), 10, 'id1')",
        ],
    ],
)
table.sync()
table.close()
