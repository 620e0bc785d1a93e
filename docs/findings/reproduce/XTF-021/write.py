"""XTF-021: A partition spec that does not fit the paths is not checked

Two columns of which the spec names one. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'partition_half_spec',
    partition_by=['p', 'q'],
    spec='p:VALUE',
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `p` STRING, `q` INT, `i` INT, `id` STRING',
    [
        [  # a data file
            "('k0000', 'a b', 1, 0, 'id0')",
        ],
        [  # a data file
            "('k0001', 'a b', 2, 10, 'id1')",
        ],
        [  # a data file
            "('k0002', 'c', 1, 20, 'id2')",
        ],
    ],
)
table.sync()
table.close()
