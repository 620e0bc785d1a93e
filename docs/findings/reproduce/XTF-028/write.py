"""XTF-028: A commit that completes late makes XTable add files twice

A commit that begins first and completes last, with another commit and syncs in between. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'history_late_commit',
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

# 2. a commit to c begins
commit_2 = table.write(
    'bulk_insert',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('c1', 'c', 30, 's030')",
            "('c2', 'c', 31, 's031')",
        ],
    ],
)

# 3. a commit to d completes while the one to c is in flight
table.write(
    'bulk_insert',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('d1', 'd', 40, 's040')",
            "('d2', 'd', 41, 's041')",
        ],
    ],
)
table.sync(in_flight=[commit_2])

# 4. the commit to c completes
table.sync()

# 5. insert e1, e2 into e
table.write(
    'bulk_insert',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('e1', 'e', 50, 's050')",
            "('e2', 'e', 51, 's051')",
        ],
    ],
)
table.sync()

# The next run finds no new commit.
table.sync()
table.close()
