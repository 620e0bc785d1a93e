"""XTF-076: A column that became long or double before the first sync fails every sync

A column becomes long after int, before the first sync. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'edge_long_after_int',
    partition_by=['part'],
    spec='part:VALUE',
)

# 1. x is int32
table.write(
    'bulk_insert',
    '`record_key` STRING, `part` STRING, `x` INT',
    [
        [  # a data file
            "('k1', 'a', 7)",
        ],
    ],
    {'hoodie.datasource.write.reconcile.schema': 'false'},
)

# 2. x is int64
table.write(
    'bulk_insert',
    '`record_key` STRING, `part` STRING, `x` BIGINT',
    [
        [  # a data file
            "('k2', 'b', CAST('1099511627776' AS BIGINT))",
        ],
    ],
    {'hoodie.datasource.write.reconcile.schema': 'false'},
)
table.sync()
table.close()
