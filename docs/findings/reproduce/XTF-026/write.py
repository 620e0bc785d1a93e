"""XTF-026: A Hudi column that is dropped and comes back has no bounds in older files; with another type it is read as the old one

Two columns are dropped, and one of them comes back as another type. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'history_drop_columns',
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
            "('k1', 'a', 1, 1, 'y1')",
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
            "('k2', 'b', 2)",
        ],
    ],
)
table.sync()

# 3. columns keep, y
table.write(
    'bulk_insert',
    '`record_key` STRING, `part` STRING, `keep` INT, `y` DOUBLE',
    [
        [  # a data file
            "('k3', 'c', 3, CAST('3.5' AS DOUBLE))",
        ],
    ],
)
table.sync()

# The next run finds no new commit.
table.sync()
table.close()
