"""XTF-018: Url-encoded partition paths become partition values without being decoded

Special characters, url-encoded paths, hive style. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'partition_encoded',
    partition_by=['p'],
    spec='p:VALUE',
    options={
        'hoodie.datasource.write.partitionpath.urlencode': 'true',
    },
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `p` STRING, `i` INT, `id` STRING',
    [
        [  # a data file
            "('k0000', 'plain', 0, 'id0')",
        ],
        [  # a data file
            "('k0001', 'a b', 10, 'id1')",
        ],
        [  # a data file
            "('k0002', 'a/b', 20, 'id2')",
        ],
        [  # a data file
            "('k0003', 'a:b', 30, 'id3')",
        ],
        [  # a data file
            "('k0004', '50%', 40, 'id4')",
        ],
        [  # a data file
            "('k0005', '100%25', 50, 'id5')",
        ],
        [  # a data file
            "('k0006', 'x=y', 60, 'id6')",
        ],
        [  # a data file
            "('k0007', 'é', 70, 'id7')",
        ],
        [  # a data file
            "('k0008', 'a?b', 80, 'id8')",
        ],
        [  # a data file
            "('k0009', 'a#b', 90, 'id9')",
        ],
        [  # a data file
            "('k0010', 'a+b', 100, 'id10')",
        ],
    ],
)
table.sync()
table.close()
