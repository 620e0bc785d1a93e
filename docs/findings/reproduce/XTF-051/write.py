"""XTF-051: A partition that was dropped gets its old bounds and counts back with its next row

delete_partition of a state, which then gets a new row. `../reproduce.sh` runs this.
"""

from history import Table
from skipping import Index

table = Table(
    'skip_state_dropped',
    partition_by=['state'],
    spec='state:VALUE',
    hudi='1.0.2',
    options={
        'hoodie.metadata.enable': 'true',
        'hoodie.metadata.index.column.stats.enable': 'true',
        'hoodie.metadata.index.column.stats.file.group.count': '1',
        'hoodie.metadata.index.column.stats.parallelism': '1',
        'hoodie.metadata.index.partition.stats.enable': 'true',
        'hoodie.metadata.index.column.stats.column.list': 'zip_code',
    },
)
index = Index(table)

# 1. two files in NY, two in CA
table.write(
    'bulk_insert',
    '`record_key` STRING, `state` STRING, `zip_code` STRING',
    [
        [  # a data file
            "('n1', 'NY', '10001')",
            "('n2', 'NY', '10300')",
        ],
        [  # a data file
            "('n3', 'NY', '10200')",
            "('n4', 'NY', '14999')",
        ],
        [  # a data file
            "('c1', 'CA', '90001')",
            "('c2', 'CA', '90500')",
        ],
        [  # a data file
            "('c3', 'CA', '95000')",
            "('c4', 'CA', '96199')",
        ],
    ],
)
index.keep('two files in NY, two in CA')

# 2. CA is dropped
table.write(
    'delete_partition',
    '`record_key` STRING, `state` STRING, `zip_code` STRING',
    [
        [  # a data file
        ],
    ],
    {'hoodie.datasource.write.partitions.to.delete': 'state=CA'},
)
index.keep('CA is dropped')

# 3. 95555 in CA
table.write(
    'bulk_insert',
    '`record_key` STRING, `state` STRING, `zip_code` STRING',
    [
        [  # a data file
            "('c5', 'CA', '95555')",
        ],
    ],
)
index.keep('95555 in CA')
index.ask(
    "`zip_code` = '95555'",
    "`zip_code` = '90001'",
    "`zip_code` = '10001'",
    "`zip_code` IN ('95555', '90001', '10001')",
    "`zip_code` <= '95555'",
    "`zip_code` >= '95555'",
    "`zip_code` != '95555'",
    "(`state` = 'NY') AND (`zip_code` = '95555')",
)
table.close()
