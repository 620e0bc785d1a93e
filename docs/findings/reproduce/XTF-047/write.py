"""XTF-047: After a column joins the index, partitions written before are skipped

The list of indexed columns gets one more with the second commit. `../reproduce.sh` runs this.
"""

from history import Table
from skipping import Index

table = Table(
    'skip_list_extended',
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

# 1. zip_code is indexed
table.write(
    'bulk_insert',
    '`record_key` STRING, `state` STRING, `zip_code` STRING, `number` INT',
    [
        [  # a data file
            "('k0000', 'NY', '10001', 1)",
        ],
    ],
)
index.keep('zip_code is indexed')

# 2. number too
table.write(
    'bulk_insert',
    '`record_key` STRING, `state` STRING, `zip_code` STRING, `number` INT',
    [
        [  # a data file
            "('n0000', 'CA', '90001', 2)",
        ],
    ],
    {'hoodie.metadata.index.column.stats.column.list': 'zip_code,number'},
)
index.keep('number too')
index.ask(
    '`number` = 1',
    '`number` < 2',
    "(`number` = 1) OR (`zip_code` = '99999')",
    "(`number` = 1) AND (`zip_code` = '10001')",
    "(`state` = 'NY') AND (`number` = 1)",
    '`number` = 2',
    "`zip_code` = '10001'",
)
table.close()
