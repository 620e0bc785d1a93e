"""XTF-027: Every incremental sync after a clean fails

Upserts, and a cleaner that removes all old versions of the files. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'history_clean',
    partition_by=['part'],
    spec='part:VALUE',
    options={
        'hoodie.cleaner.policy': 'KEEP_LATEST_FILE_VERSIONS',
        'hoodie.cleaner.fileversions.retained': '1',
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
table.sync()

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
table.sync()

# 4. clean
table.service('clean')
table.sync()

# 5. upsert b1 in b
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
