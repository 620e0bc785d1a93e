"""XTF-005: Dates of the ten days that 1582 skipped get bounds of other days

The ten days of October 1582 that Java's old calendar leaves out. Statistics from Hudi's column index, a partition a file. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'types_lost_days_index',
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
    '`record_key` STRING, `part` STRING, `day` DATE',
    [
        [  # a data file
            "('k0000', 'p0', DATE '1582-10-05')",
            "('k0001', 'p0', DATE '1582-10-07')",
        ],
        [  # a data file
            "('k0002', 'p1', DATE '1582-10-10')",
            "('k0003', 'p1', DATE '1582-10-12')",
        ],
        [  # a data file
            "('k0004', 'p2', DATE '1582-10-14')",
            "('k0005', 'p2', DATE '1582-10-20')",
        ],
    ],
)
table.sync()
table.close()
