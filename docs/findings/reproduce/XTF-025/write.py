"""XTF-025: The value of a nested partition column keeps its column's name

A column inside a struct, hive style. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'partition_in_struct',
    partition_by=['st.level'],
    spec='st.level:VALUE',
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `st` STRUCT<`level`: STRING>, `i` INT, `id` STRING',
    [
        [  # a data file
            "('k0000', named_struct('level', CAST('info' AS STRING)), 0, 'id0')",
        ],
        [  # a data file
            "('k0001', named_struct('level', CAST('warn' AS STRING)), 10, 'id1')",
        ],
    ],
)
table.sync()
table.close()
