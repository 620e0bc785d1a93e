"""XTF-036: Delta partitions with special characters point to files that do not exist

Special characters in partition values. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'delta_paths',
    format='DELTA',
    partition_by=['p'],
    options={
        'delta.enableDeletionVectors': 'false',
    },
)

# 1. append
table.write(
    'append',
    '`record_key` STRING, `p` STRING, `i` INT',
    [
        [  # a data file
            "('k0000', 'a', 0)",
        ],
        [  # a data file
            "('k0001', 'a b', 10)",
        ],
        [  # a data file
            "('k0002', 'a/b', 20)",
        ],
        [  # a data file
            "('k0003', '50%', 30)",
        ],
        [  # a data file
            "('k0004', 'x=y', 40)",
        ],
        [  # a data file
            "('k0005', 'é', 50)",
        ],
        [  # a data file
            "('k0006', NULL, 60)",
        ],
    ],
)
table.sync()
table.close()
