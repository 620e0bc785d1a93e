"""XTF-048: IS NULL of a column that was added later, beside a condition on an indexed one, skips files written before

A column that the table gets with its second commit. `../reproduce.sh` runs this.
"""

from history import Table
from skipping import Index

table = Table(
    'skip_new_column',
    partition_by=['state'],
    spec='state:VALUE',
    hudi='1.2.0',
    options={
        'hoodie.metadata.enable': 'true',
        'hoodie.metadata.index.column.stats.enable': 'true',
        'hoodie.metadata.index.column.stats.file.group.count': '1',
        'hoodie.metadata.index.column.stats.parallelism': '1',
        'hoodie.metadata.index.partition.stats.enable': 'true',
    },
)
index = Index(table)

# 1. no note
table.write(
    'bulk_insert',
    '`record_key` STRING, `state` STRING, `zip_code` STRING',
    [
        [  # a data file
            "('k0000', 'NY', '10001')",
        ],
    ],
)
index.keep('no note')

# 2. a note
table.write(
    'bulk_insert',
    '`record_key` STRING, `state` STRING, `zip_code` STRING, `note` STRING',
    [
        [  # a data file
            "('n0000', 'CA', '90001', 'new')",
        ],
    ],
)
index.keep('a note')
index.ask(
    "(`note` IS NULL) OR (`zip_code` = '1')",
    "(`note` IS NULL) AND (`zip_code` = '10001')",
    '`note` IS NULL',
    "`note` = 'new'",
    "`zip_code` = '10001'",
)
table.close()
