"""XTF-069: Delta Kernel: a column that is added, dropped or widened after the first sync does not reach the table

XTable writes Delta by Delta Kernel where its target has the property xtable.delta.target.use_kernel=true. Its
command line, RunSync, passes no properties to a target, so there is no config.yaml. What does: XTable's API
(TargetTable.additionalProperties, which Sync.java sets), Hudi's sync tool XTableSyncTool
(hoodie.xtable.delta.target.use_kernel=true), and RunCatalogSync, which hands on the parameters of a table that
it finds in a Hive or Glue catalog.

A column is added. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'history_add_column',
    partition_by=['part'],
    spec='part:VALUE',
)

# 1. three rows in a, two in b
table.write(
    'bulk_insert',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('a1', 'a', 10, 's010')",
            "('a2', 'a', 11, 's011')",
            "('a3', 'a', 12, 's012')",
        ],
        [  # a data file
            "('b1', 'b', 20, 's020')",
            "('b2', 'b', 21, 's021')",
        ],
    ],
)
table.sync()

# 2. a row with one more column
table.write(
    'insert',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING, `extra` DOUBLE',
    [
        [  # a data file
            "('c1', 'c', 30, 's030', CAST('1.5' AS DOUBLE))",
        ],
    ],
)
table.sync()

# The next run finds no new commit.
table.sync()
table.close()
