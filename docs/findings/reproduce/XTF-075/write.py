"""XTF-075: Delta Standalone writes null counts of what is in maps and lists: delta-rs and Polars skip no file, or cannot open the table

A map beside a boolean and a number. Statistics from the footers. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'types_maps_plain',
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `kv` MAP<STRING, BIGINT>, `b` BOOLEAN, `i` INT',
    [
        [  # a data file
            "('k0000', map('a', 1), true, 1)",
            "('k0001', map('b', NULL), true, 2)",
        ],
        [  # a data file
            "('k0002', map(), false, 11)",
            "('k0003', NULL, NULL, 12)",
        ],
    ],
)
table.sync()
table.close()
