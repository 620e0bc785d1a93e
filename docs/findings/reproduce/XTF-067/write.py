"""XTF-067: Files of a shallow clone are looked for below the clone, where they are not

A shallow clone of a table, whose files Delta's log names by their addresses (xtable#907). `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'delta_shallow_clone',
    format='DELTA',
    options={
        'delta.enableDeletionVectors': 'false',
    },
)

# 1. a table without rows
table.statement('CREATE TABLE {table} (record_key STRING) USING delta')

# 2. another table of two rows
table.statement("CREATE TABLE delta.`{elsewhere}` USING delta AS SELECT * FROM VALUES ('k10', 10, 's010'), ('k11', 11, 's011') AS rows (record_key, i, s)")

# 3. the first becomes its clone
table.statement('CREATE OR REPLACE TABLE {table} SHALLOW CLONE delta.`{elsewhere}`')
table.sync()

# 4. a row of its own
table.write(
    'append',
    '`record_key` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('k20', 20, 's020')",
        ],
    ],
)
table.sync()

# The next run finds no new commit.
table.sync()
table.close()
