"""XTF-061: Files that a rollback brings back are missing

Needs --warm at XTable >=0.2,<0.5: In a fresh JVM, as each run of the command line is, the sync of the rollback fails with XTF-043, and the metadata stays as it was.

A commit that others have seen is rolled back, then life goes on. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'history_rollback',
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

# 2. upsert a1, a4 in a
commit_2 = table.write(
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

# 3. rollback of step 2
table.service('rollback', commit_2)
table.sync()

# 4. upsert a1 in a
table.write(
    'upsert',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('a1', 'a', 60, 's060')",
        ],
    ],
)
table.sync()

# The next run finds no new commit.
table.sync()
table.close()
