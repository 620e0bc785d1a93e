"""XTF-023: A partition column of another type than the spec takes fails the sync

Dates, told as they are. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'partition_date_value',
    partition_by=['dt'],
    spec='dt:VALUE',
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `dt` DATE, `i` INT, `id` STRING',
    [
        [  # a data file
            "('k0000', DATE '2024-01-01', 0, 'id0')",
        ],
        [  # a data file
            "('k0001', DATE '2024-02-29', 10, 'id1')",
        ],
    ],
)
table.sync()
table.close()
