"""XTF-064: Of several columns that one commit drops, only one goes

Two columns are dropped between two syncs. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'history_fewer_columns',
    partition_by=['part'],
    spec='part:VALUE',
    options={
        'hoodie.datasource.write.schema.allow.auto.evolution.column.drop': 'true',
    },
)

# 1. columns keep, x, y
table.write(
    'bulk_insert',
    '`record_key` STRING, `part` STRING, `keep` INT, `x` INT, `y` STRING',
    [
        [  # a data file
            "('k11', 'p1', 1, 10, 'y1')",
            "('k12', 'p1', 2, 20, 'y2')",
        ],
    ],
)
table.sync()

# 2. columns keep
table.write(
    'bulk_insert',
    '`record_key` STRING, `part` STRING, `keep` INT',
    [
        [  # a data file
            "('k21', 'p2', 1)",
            "('k22', 'p2', 2)",
        ],
    ],
)
table.sync()

# The next run finds no new commit.
table.sync()
table.close()
