"""XTF-070: Delta Kernel: a table that is partitioned by day, month or hour of a column fails the sync

XTable writes Delta by Delta Kernel where its target has the property xtable.delta.target.use_kernel=true. Its
command line, RunSync, passes no properties to a target, so there is no config.yaml. What does: XTable's API
(TargetTable.additionalProperties, which Sync.java sets), Hudi's sync tool XTableSyncTool
(hoodie.xtable.delta.target.use_kernel=true), and RunCatalogSync, which hands on the parameters of a table that
it finds in a Hive or Glue catalog.

Days in UTC. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'partition_by_day',
    partition_by=['ts'],
    spec='ts:DAY:yyyy-MM-dd',
    options={
        'hoodie.datasource.write.keygenerator.class': 'org.apache.hudi.keygen.TimestampBasedKeyGenerator',
        'hoodie.keygen.timebased.timestamp.type': 'SCALAR',
        'hoodie.keygen.timebased.timestamp.scalar.time.unit': 'microseconds',
        'hoodie.keygen.timebased.output.dateformat': 'yyyy-MM-dd',
        'hoodie.keygen.timebased.timezone': 'UTC',
        'hoodie.datasource.write.row.writer.enable': 'false',
    },
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `ts` TIMESTAMP, `i` INT, `id` STRING',
    [
        [  # a data file
            "('k0000', TIMESTAMP '2024-01-01 00:30:00.000000 UTC', 0, 'id0')",
        ],
        [  # a data file
            "('k0001', TIMESTAMP '2024-01-01 12:30:00.000000 UTC', 10, 'id1')",
        ],
        [  # a data file
            "('k0002', TIMESTAMP '2024-01-01 20:30:00.000000 UTC', 20, 'id2')",
        ],
        [  # a data file
            "('k0003', TIMESTAMP '2024-01-02 05:00:00.000000 UTC', 30, 'id3')",
        ],
        [  # a data file
            "('k0004', TIMESTAMP '2024-02-10 23:59:59.999999 UTC', 40, 'id4')",
        ],
    ],
)
table.sync()
table.close()
