"""XTF-072: Delta Kernel 4.0.0, which XTable ships, writes bounds of timestamps before 1970 a second late

XTable writes Delta by Delta Kernel where its target has the property xtable.delta.target.use_kernel=true. Its
command line, RunSync, passes no properties to a target, so there is no config.yaml. What does: XTable's API
(TargetTable.additionalProperties, which Sync.java sets), Hudi's sync tool XTableSyncTool
(hoodie.xtable.delta.target.use_kernel=true), and RunCatalogSync, which hands on the parameters of a table that
it finds in a Hive or Glue catalog.

Timestamps in microseconds: before 1970, 1900, 9999, one microsecond off the epoch. Statistics from the footers. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'types_times_plain',
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `at` TIMESTAMP',
    [
        [  # a data file
            "('k0000', TIMESTAMP '1969-12-31 23:59:59.999999 UTC')",
            "('k0001', TIMESTAMP '1970-01-01 00:00:00.000001 UTC')",
        ],
        [  # a data file
            "('k0002', TIMESTAMP '1900-01-01 00:00:00.000000 UTC')",
            "('k0003', TIMESTAMP '1969-12-31 23:59:59.999999 UTC')",
        ],
        [  # a data file
            "('k0004', TIMESTAMP '2024-01-01 00:00:00.123456 UTC')",
            "('k0005', TIMESTAMP '2024-01-01 00:00:00.999999 UTC')",
        ],
        [  # a data file
            "('k0006', TIMESTAMP '0001-01-01 00:00:00.000000 UTC')",
            "('k0007', TIMESTAMP '9999-12-31 23:59:59.999999 UTC')",
        ],
        [  # a data file
            "('k0008', NULL)",
            "('k0009', TIMESTAMP '2024-06-01 12:00:00.000000 UTC')",
        ],
    ],
)
table.sync()
table.close()
