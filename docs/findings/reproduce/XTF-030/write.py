"""XTF-030: Files that a restore brings back are missing

Needs --warm at XTable >=0.2,<0.5: In a fresh JVM, as each run of the command line is, the sync of the restore fails with XTF-043, and the metadata stays as it was.

Back to a savepoint over two commits, then life goes on. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'history_restore',
    partition_by=['part'],
    spec='part:VALUE',
)

# 1. three rows in a, two in b
commit_1 = table.write(
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

# 2. savepoint of step 1
table.service('savepoint', commit_1)
table.sync()

# 3. upsert a1, a4 in a
table.write(
    'upsert',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('a1', 'a', 50, 's050')",
            "('a4', 'a', 51, 's051')",
        ],
    ],
)
table.sync()

# 4. upsert b1, b4 in b
table.write(
    'upsert',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('b1', 'b', 60, 's060')",
            "('b4', 'b', 61, 's061')",
        ],
    ],
)
table.sync()

# 5. restore of step 1
table.service('restore', commit_1)
table.sync()

# 6. upsert a2 in a
table.write(
    'upsert',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('a2', 'a', 70, 's070')",
        ],
    ],
)
table.sync()

# The next run finds no new commit.
table.sync()
table.close()
