"""XTF-017: A date after the year 9999 fails the sync

A date after the year 9999. Statistics from the footers. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'types_year_10000_plain',
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `day` DATE',
    [
        [  # a data file
            "('k0000', date_from_unix_date(2932897))",
            "('k0001', date_from_unix_date(2932898))",
        ],
        [  # a data file
            "('k0002', DATE '1970-01-01')",
            "('k0003', DATE '1970-01-02')",
        ],
    ],
)
table.sync()
table.close()
