"""XTF-050: insert_overwrite and clustering leave the replaced files in the partition's bounds and counts

insert_overwrite of a state. `../reproduce.sh` runs this.
"""

from history import Table
from skipping import Index

table = Table(
    'skip_overwritten',
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

# 2. NY is overwritten with 10500
table.write(
    'insert_overwrite',
    '`record_key` STRING, `state` STRING, `zip_code` STRING',
    [
        [  # a data file
            "('n6', 'NY', '10500')",
        ],
    ],
)
index.keep('NY is overwritten with 10500')
index.ask(
    "`zip_code` = '10500'",
    "`zip_code` = '10001'",
    "`zip_code` = '14999'",
    "`zip_code` IN ('10500', '10001', '14999')",
    "`zip_code` <= '10500'",
    "`zip_code` >= '10500'",
    "`zip_code` != '10500'",
    "(`state` = 'NY') AND (`zip_code` = '10500')",
)
table.close()
