"""XTF-020: A partition value that looks like its own hive-style path loses its head: nothing checks

Values that look like a hive style path, in paths without names. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'partition_like_a_path',
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
            "('k0000', 'p=a', 0, 'id0')",
        ],
        [  # a data file
            "('k0001', 'b', 10, 'id1')",
        ],
    ],
)
table.sync()
table.close()
