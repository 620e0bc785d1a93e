"""XTF-016: INT96 timestamps have no bounds

Timestamps that the files hold as INT96. Statistics from the footers. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'types_int96_plain',
    options={
        'hoodie.parquet.outputtimestamptype': 'INT96',
    },
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `at` TIMESTAMP',
    [
        [  # a data file
            "('k0000', TIMESTAMP '2023-02-05 01:02:03.123000 UTC')",
            "('k0001', TIMESTAMP '2023-02-25 04:05:06.789000 UTC')",
        ],
        [  # a data file
            "('k0002', TIMESTAMP '2023-05-05 01:02:03.123000 UTC')",
            "('k0003', TIMESTAMP '2023-05-25 04:05:06.789000 UTC')",
        ],
        [  # a data file
            "('k0004', TIMESTAMP '2023-08-05 01:02:03.123000 UTC')",
            "('k0005', TIMESTAMP '2023-08-25 04:05:06.789000 UTC')",
        ],
    ],
)
table.sync()
table.close()
