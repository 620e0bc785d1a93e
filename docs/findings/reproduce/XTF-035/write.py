"""XTF-035: Delta timestamps get an upper bound cut to milliseconds

Timestamps whose microseconds Delta's statistics leave out. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'delta_micros',
    format='DELTA',
    options={
        'delta.enableDeletionVectors': 'false',
    },
)

# 1. append
table.write(
    'append',
    '`record_key` STRING, `at` TIMESTAMP',
    [
        [  # a data file
            "('k0000', TIMESTAMP '2024-01-01 00:00:00.000000 UTC')",
            "('k0001', TIMESTAMP '2024-01-01 00:00:00.999999 UTC')",
        ],
        [  # a data file
            "('k0002', TIMESTAMP '1969-12-31 23:59:59.999999 UTC')",
            "('k0003', TIMESTAMP '1970-01-01 00:00:00.000000 UTC')",
        ],
    ],
)
table.sync()
table.close()
