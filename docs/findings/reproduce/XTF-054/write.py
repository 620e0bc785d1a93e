"""XTF-054: MERGE_ON_READ: what logs update or delete stays in the partition's bounds and counts

MERGE_ON_READ: an upsert that widens the bounds of a state, in a log file that nothing compacts. `../reproduce.sh` runs this.
"""

from history import Table
from skipping import Index

table = Table(
    'skip_logged',
    partition_by=['state'],
    spec='state:VALUE',
    hudi='1.2.0',
    options={
        'hoodie.metadata.enable': 'true',
        'hoodie.metadata.index.column.stats.enable': 'true',
        'hoodie.metadata.index.column.stats.file.group.count': '1',
        'hoodie.metadata.index.column.stats.parallelism': '1',
        'hoodie.metadata.index.partition.stats.enable': 'true',
        'hoodie.metadata.index.column.stats.column.list': 'zip_code',
        'hoodie.datasource.write.table.type': 'MERGE_ON_READ',
        'hoodie.compact.inline': 'false',
        'hoodie.compact.inline.max.delta.commits': '1',
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

# 2. NY's smallest becomes 90001
table.write(
    'upsert',
    '`record_key` STRING, `state` STRING, `zip_code` STRING',
    [
        [  # a data file
            "('n1', 'NY', '90001')",
        ],
    ],
)
index.keep("NY's smallest becomes 90001")
index.ask(
    "`zip_code` = '90001'",
    "`zip_code` = '10001'",
    "`zip_code` = '14999'",
    "`zip_code` IN ('90001', '10001', '14999')",
    "`zip_code` <= '90001'",
    "`zip_code` >= '90001'",
    "`zip_code` != '90001'",
    "(`state` = 'NY') AND (`zip_code` = '90001')",
)
table.close()
