"""XTF-049: A query with a condition on an indexed binary column fails with ClassCastException

A column of bytes, on both sides of 0x80, where signed and unsigned order differ. `../reproduce.sh` runs this.
"""

from history import Table
from skipping import Index

table = Table(
    'skip_bytes',
    partition_by=['state'],
    spec='state:VALUE',
    hudi='1.2.0',
    options={
        'hoodie.metadata.enable': 'true',
        'hoodie.metadata.index.column.stats.enable': 'true',
        'hoodie.metadata.index.column.stats.file.group.count': '1',
        'hoodie.metadata.index.column.stats.parallelism': '1',
        'hoodie.metadata.index.partition.stats.enable': 'true',
        'hoodie.metadata.index.column.stats.column.list': 'raw',
    },
)
index = Index(table)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `state` STRING, `raw` BINARY',
    [
        [  # a data file
            "('k0000', 'NY', X'10')",
            "('k0001', 'NY', X'1f')",
        ],
        [  # a data file
            "('k0002', 'CA', X'90')",
            "('k0003', 'CA', X'9f')",
        ],
    ],
)
index.keep('bulk insert')
index.ask(
    "`raw` = X'10'",
    "`raw` > X'7f'",
    '`raw` IS NOT NULL',
    "`state` = 'NY'",
)
table.close()
