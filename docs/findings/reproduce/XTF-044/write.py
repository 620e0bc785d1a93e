"""XTF-044: LIKE 'p%' is looked up as = 'p': files whose values go on after the prefix are skipped

Zip codes with a common beginning. `../reproduce.sh` runs this.
"""

from history import Table
from skipping import Index

table = Table(
    'skip_prefix',
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

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `state` STRING, `zip_code` STRING',
    [
        [  # a data file
            "('k0000', 'NY', '10001')",
            "('k0001', 'NY', '10002')",
        ],
        [  # a data file
            "('k0002', 'CA', '90001')",
            "('k0003', 'CA', '90002')",
        ],
    ],
)
index.keep('bulk insert')
index.ask(
    "`zip_code` LIKE '100%'",
    "(`state` = 'NY') AND (`zip_code` LIKE '100%')",
    "`zip_code` LIKE '10001%'",
    "(`zip_code` >= '100') AND (`zip_code` < '101')",
    "`zip_code` = '10002'",
    "`zip_code` LIKE '5%'",
)
table.close()
