"""XTF-071: Delta: paths of files are not encoded: partition values with special characters point elsewhere, or fail the sync

XTable writes Delta by Delta Kernel where its target has the property xtable.delta.target.use_kernel=true. Its
command line, RunSync, passes no properties to a target, so there is no config.yaml. What does: XTable's API
(TargetTable.additionalProperties, which Sync.java sets), Hudi's sync tool XTableSyncTool
(hoodie.xtable.delta.target.use_kernel=true), and RunCatalogSync, which hands on the parameters of a table that
it finds in a Hive or Glue catalog.

Special characters, hive style. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'partition_special',
    partition_by=['p'],
    spec='p:VALUE',
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `p` STRING, `i` INT, `id` STRING',
    [
        [  # a data file
            "('k0000', 'plain', 0, 'id0')",
        ],
        [  # a data file
            "('k0001', 'a b', 10, 'id1')",
        ],
        [  # a data file
            "('k0002', '50%', 20, 'id2')",
        ],
        [  # a data file
            "('k0003', '100%25', 30, 'id3')",
        ],
        [  # a data file
            "('k0004', 'é', 40, 'id4')",
        ],
        [  # a data file
            "('k0005', 'x=y', 50, 'id5')",
        ],
        [  # a data file
            "('k0006', '😀', 60, 'id6')",
        ],
        [  # a data file
            "('k0007', 'A\\'b', 70, 'id7')",
        ],
        [  # a data file
            "('k0008', 'a+b', 80, 'id8')",
        ],
        [  # a data file
            "('k0009', 'a,b', 90, 'id9')",
        ],
    ],
)
table.sync()
table.close()
