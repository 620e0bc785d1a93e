"""XTF-052: A partition whose rows were all deleted keeps its bounds and counts

All rows of a state are deleted, then it gets a new one. `../reproduce.sh` runs this.
"""

from history import Table
from skipping import Index

table = Table(
    'skip_emptied',
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

# 2. all rows of NY are deleted
table.write(
    'delete',
    '`record_key` STRING, `state` STRING, `zip_code` STRING',
    [
        [  # a data file
            "('n1', 'NY', '10001')",
            "('n2', 'NY', '10300')",
            "('n3', 'NY', '10200')",
            "('n4', 'NY', '14999')",
        ],
    ],
)
index.keep('all rows of NY are deleted')

# 3. 12000 in NY
table.write(
    'bulk_insert',
    '`record_key` STRING, `state` STRING, `zip_code` STRING',
    [
        [  # a data file
            "('n5', 'NY', '12000')",
        ],
    ],
)
index.keep('12000 in NY')
index.ask(
    "`zip_code` = '12000'",
    "`zip_code` = '10001'",
    "`zip_code` = '14999'",
    "`zip_code` IN ('12000', '10001', '14999')",
    "`zip_code` <= '12000'",
    "`zip_code` >= '12000'",
    "`zip_code` != '12000'",
    "(`state` = 'NY') AND (`zip_code` = '12000')",
)
table.close()
