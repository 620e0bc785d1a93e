"""XTF-043: A fresh JVM cannot sync over a clean, a rollback or a restore: Recursive update

A cleaner's work, met by a JVM that has translated nothing before: what it loads first decides. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'history_fresh_jvm',
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

# 2. upsert a3 in a
table.write(
    'upsert',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('a3', 'a', 50, 's050')",
        ],
    ],
)
table.sync()

# 3. clean
table.service('clean')
table.sync()

# The next run finds no new commit.
table.sync()
table.close()
