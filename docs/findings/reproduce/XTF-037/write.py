"""XTF-037: Rows that a Delta deletion vector removes come back

A delete that leaves the file and writes a deletion vector. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'delta_vectors',
    format='DELTA',
    options={
        'delta.enableDeletionVectors': 'true',
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
            "('k0005', 15, 's015')",
            "('k0006', 16, 's016')",
            "('k0007', 17, 's017')",
            "('k0008', 18, 's018')",
            "('k0009', 19, 's019')",
        ],
    ],
)
table.sync()

# 2. delete three of ten rows
table.statement('DELETE FROM {table} WHERE i IN (11, 13, 15)')
table.sync()

# The next run finds no new commit.
table.sync()
table.close()
