"""XTF-074: Delta Standalone writes bounds of timestamps in whole seconds, and before 1582 by the Julian calendar

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
