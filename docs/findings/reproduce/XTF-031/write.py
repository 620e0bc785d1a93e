"""XTF-031: Updates and deletes in log files of MERGE_ON_READ tables are not visible until compaction

Deletes in a log file, then compaction. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'mor_deleted',
    partition_by=['part'],
    spec='part:VALUE',
    options={
        'hoodie.datasource.write.table.type': 'MERGE_ON_READ',
        'hoodie.compact.inline': 'false',
        'hoodie.compact.inline.max.delta.commits': '1',
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

# 2. delete a2
table.write(
    'delete',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('a2', 'a', 11, 's011')",
        ],
    ],
)
table.sync()

# 3. compact
table.service('compact')
table.sync()

# The next run finds no new commit.
table.sync()
table.close()
