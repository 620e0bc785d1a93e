"""XTF-029: insert_overwrite_table loses the files that it writes into new partitions

insert_overwrite_table with rows for a partition that was there and for a new one. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'history_overwrite_table',
    partition_by=['part'],
    spec='part:VALUE',
)

# 1. three rows in a, two in b
table.write(
    'bulk_insert',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('a1', 'a', 10, 's010')",
            "('a2', 'a', 11, 's011')",
            "('a3', 'a', 12, 's012')",
        ],
        [  # a data file
            "('b1', 'b', 20, 's020')",
            "('b2', 'b', 21, 's021')",
        ],
    ],
)
table.sync()

# 2. overwrite all with rows of a and c
table.write(
    'insert_overwrite_table',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('a8', 'a', 70, 's070')",
            "('a9', 'a', 71, 's071')",
        ],
        [  # a data file
            "('c1', 'c', 80, 's080')",
            "('c2', 'c', 81, 's081')",
        ],
    ],
)
table.sync()

# 3. upsert a8 in a
table.write(
    'upsert',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('a8', 'a', 90, 's090')",
        ],
    ],
)
table.sync()

# The next run finds no new commit.
table.sync()
table.close()
