"""XTF-019: An empty string as a partition value becomes null: Hudi's path does not tell them apart, and nothing checks

An empty string, paths without the column's name. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'partition_void',
    partition_by=['p'],
    spec='p:VALUE',
    options={
        'hoodie.datasource.write.hive_style_partitioning': 'false',
    },
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `p` STRING, `i` INT, `id` STRING',
    [
        [  # a data file
            "('k0000', '', 0, 'id0')",
        ],
        [  # a data file
            "('k0001', 'a', 10, 'id1')",
        ],
    ],
)
table.sync()
table.close()
