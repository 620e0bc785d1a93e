"""XTF-062: After a Delta column with column mapping is renamed, all its values are null

Columns mapped by name, then one renamed. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'delta_mapped',
    format='DELTA',
    options={
        'delta.enableDeletionVectors': 'false',
        'delta.columnMapping.mode': 'name',
    },
)

# 1. append
table.write(
    'append',
    '`record_key` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('k0000', 10, 's010')",
            "('k0001', 11, 's011')",
            "('k0002', 12, 's012')",
            "('k0003', 13, 's013')",
            "('k0004', 14, 's014')",
        ],
        [  # a data file
            "('k0005', 20, 's020')",
            "('k0006', 21, 's021')",
            "('k0007', 22, 's022')",
            "('k0008', 23, 's023')",
            "('k0009', 24, 's024')",
        ],
    ],
)
table.sync()

# 2. i is renamed to j
table.statement('ALTER TABLE {table} RENAME COLUMN i TO j')
table.sync()

# 3. a row after it
table.write(
    'append',
    '`record_key` STRING, `j` INT, `s` STRING',
    [
        [  # a data file
            "('k0000', 30, 's030')",
        ],
    ],
)
table.sync()

# The next run finds no new commit.
table.sync()
table.close()
