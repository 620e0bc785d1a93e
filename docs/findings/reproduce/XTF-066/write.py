"""XTF-066: A sync while a clean is in flight keeps files that the clean has deleted, for good

Needs --warm at XTable >=0.2,<0.5: In a fresh JVM, as each run of the command line is, the sync beside the clean leaves the file too; the syncs after it fail with XTF-043, and the metadata stays as it was.

A sync while a clean is in flight that has removed the files which the last sync found (xtable#824). `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'history_running_clean',
    partition_by=['part'],
    spec='part:VALUE',
    options={
        'hoodie.cleaner.policy': 'KEEP_LATEST_COMMITS',
        'hoodie.cleaner.commits.retained': '1',
    },
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

# 2. upsert a1 in a
table.write(
    'upsert',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('a1', 'a', 50, 's050')",
        ],
    ],
)

# 3. upsert a2 in a
table.write(
    'upsert',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('a2', 'a', 60, 's060')",
        ],
    ],
)

# 4. a clean begins and deletes the first version of a file
commit_4 = table.service('clean')

# 5. the clean is in flight
table.sync(in_flight=[commit_4])

# 6. the clean completes
table.sync()

# 7. upsert b1 in b
table.write(
    'upsert',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('b1', 'b', 70, 's070')",
        ],
    ],
)
table.sync()

# The next run finds no new commit.
table.sync()
table.close()
