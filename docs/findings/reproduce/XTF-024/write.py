"""XTF-024: Without a partition spec a partitioned Hudi table becomes an unpartitioned Iceberg table

No spec for a partitioned table. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'partition_forgotten',
    partition_by=['p'],
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `p` STRING, `i` INT, `id` STRING',
    [
        [  # a data file
            "('k0000', 'a', 0, 'id0')",
        ],
        [  # a data file
            "('k0001', 'b', 10, 'id1')",
        ],
    ],
)
table.sync()
table.close()
