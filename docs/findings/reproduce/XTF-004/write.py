"""XTF-004: Timestamps in milliseconds get bounds in January 1970

Timestamps that the files hold in milliseconds. Statistics from Hudi's column index, a partition a file. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'types_millis_index',
    partition_by=['part'],
    spec='part:VALUE',
    options={
        'hoodie.parquet.outputtimestamptype': 'TIMESTAMP_MILLIS',
        'hoodie.metadata.enable': 'true',
        'hoodie.metadata.index.column.stats.enable': 'true',
        'hoodie.metadata.index.column.stats.file.group.count': '1',
        'hoodie.metadata.index.column.stats.parallelism': '1',
    },
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `part` STRING, `at` TIMESTAMP',
    [
        [  # a data file
            "('k0000', 'p0', TIMESTAMP '2023-02-05 01:02:03.123000 UTC')",
            "('k0001', 'p0', TIMESTAMP '2023-02-25 04:05:06.789000 UTC')",
        ],
        [  # a data file
            "('k0002', 'p1', TIMESTAMP '2023-05-05 01:02:03.123000 UTC')",
            "('k0003', 'p1', TIMESTAMP '2023-05-25 04:05:06.789000 UTC')",
        ],
        [  # a data file
            "('k0004', 'p2', TIMESTAMP '2023-08-05 01:02:03.123000 UTC')",
            "('k0005', 'p2', TIMESTAMP '2023-08-25 04:05:06.789000 UTC')",
        ],
    ],
)
table.sync()
table.close()
