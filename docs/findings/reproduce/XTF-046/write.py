"""XTF-046: A long string makes its file look like one of nulls alone

A string of 5000 bytes beside a short one in one of three files. `../reproduce.sh` runs this.
"""

from history import Table
from skipping import Index

table = Table(
    'skip_long_text',
    partition_by=['state'],
    spec='state:VALUE',
    hudi='1.2.0',
    options={
        'hoodie.metadata.enable': 'true',
        'hoodie.metadata.index.column.stats.enable': 'true',
        'hoodie.metadata.index.column.stats.file.group.count': '1',
        'hoodie.metadata.index.column.stats.parallelism': '1',
        'hoodie.metadata.index.partition.stats.enable': 'true',
        'hoodie.metadata.index.column.stats.column.list': 'text',
    },
)
index = Index(table)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `state` STRING, `text` STRING',
    [
        [  # a data file
            "('k0000', 'NY', repeat('a', 5000))",
            "('k0001', 'NY', 'ab')",
        ],
        [  # a data file
            "('k0002', 'NY', 'c')",
            "('k0003', 'NY', 'd')",
        ],
        [  # a data file
            "('k0004', 'CA', 'e')",
            "('k0005', 'CA', 'f')",
        ],
    ],
)
index.keep('bulk insert')
index.ask(
    "`text` = 'ab'",
    "`text` < 'b'",
    '`text` IS NOT NULL',
    "(`state` = 'NY') AND (`text` = 'ab')",
    "`text` = 'd'",
    "`text` > 'b'",
    '`text` IS NULL',
)
table.close()
