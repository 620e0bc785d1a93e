"""XTF-068: A commit of Delta in the second of the last one that was synced is skipped, for good

Commits in the second of one that a sync has seen, and then one in a second of its own. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'edge_delta_same_second',
    format='DELTA',
    partition_by=['part'],
    options={
        'delta.enableDeletionVectors': 'false',
    },
)

# 1. two rows in a, two in b
table.write(
    'append',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('k0000', 'a', 0, 's0000')",
            "('k0001', 'a', 1, 's0001')",
        ],
        [  # a data file
            "('k0010', 'b', 10, 's0010')",
            "('k0011', 'b', 11, 's0011')",
        ],
    ],
)
table.sync()

# 2. two rows in c, in that second
table.write(
    'append',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('k0020', 'c', 20, 's0020')",
            "('k0021', 'c', 21, 's0021')",
        ],
    ],
)

# 3. a row of b is deleted, in that second
table.statement("DELETE FROM {table} WHERE record_key = 'k0010'")
table.share_second()
table.sync()

# 4. two rows in d, in a later second
table.write(
    'append',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('k0030', 'd', 30, 's0030')",
            "('k0031', 'd', 31, 's0031')",
        ],
    ],
)
table.sync()

# The next run finds no new commit.
table.sync()
table.close()
