"""XTF-008: Long strings count as null, or are left out of the bounds, in XTable's metadata and in Hudi's own index

Strings so long that Parquet leaves out their statistics: 4096 bytes and more for minimum and maximum together. Statistics from Hudi's column index, a partition a file. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'types_long_strings_index',
    partition_by=['part'],
    spec='part:VALUE',
    options={
        'hoodie.metadata.enable': 'true',
        'hoodie.metadata.index.column.stats.enable': 'true',
        'hoodie.metadata.index.column.stats.file.group.count': '1',
        'hoodie.metadata.index.column.stats.parallelism': '1',
    },
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `part` STRING, `s` STRING, `i` INT',
    [
        [  # a data file
            "('k0000', 'p0', repeat('a', 5000), 1)",
            "('k0001', 'p0', repeat('b', 5000), 2)",
            "('k0002', 'p0', 'ab', 3)",
        ],
        [  # a data file
            "('k0003', 'p1', repeat('c', 2100), 4)",
            "('k0004', 'p1', repeat('d', 2100), 5)",
            "('k0005', 'p1', 'cd', 6)",
        ],
        [  # a data file
            "('k0006', 'p2', 'eeeeeeeeee', 7)",
            "('k0007', 'p2', repeat('f', 5000), 8)",
            "('k0008', 'p2', NULL, 9)",
        ],
        [  # a data file
            "('k0009', 'p3', 'g', 10)",
            "('k0010', 'p3', 'h', 11)",
            "('k0011', 'p3', 'i', 12)",
        ],
    ],
)
table.sync()
table.close()
