"""XTF-065: Dropping the newest column of a Delta table with column mapping fails the sync; the next, without new commits, comes through without the rows

Columns mapped by name, of which two are dropped between two syncs. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'edge_delta_two_dropped',
    format='DELTA',
    options={
        'delta.columnMapping.mode': 'name',
        'delta.enableDeletionVectors': 'false',
    },
)

# 1. append
table.write(
    'append',
    '`record_key` STRING, `i` INT, `s` STRING, `d` DOUBLE',
    [
        [  # a data file
            "('k0000', 1, 's1', CAST('1.5' AS DOUBLE))",
            "('k0001', 2, 's2', CAST('2.5' AS DOUBLE))",
        ],
    ],
)
table.sync()

# 2. s and d are dropped
table.statement('ALTER TABLE {table} DROP COLUMNS (s, d)')
table.sync()

# 3. a row after it
table.write(
    'append',
    '`record_key` STRING, `i` INT',
    [
        [  # a data file
            "('k0000', 3)",
        ],
    ],
)
table.sync()

# The next run finds no new commit.
table.sync()
table.close()
