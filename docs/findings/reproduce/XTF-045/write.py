"""XTF-045: NaN in a float or double column makes the bounds of its file and of its partition 0.0

NaN beside numbers in one of three files. `../reproduce.sh` runs this.
"""

from history import Table
from skipping import Index

table = Table(
    'skip_nan',
    partition_by=['state'],
    spec='state:VALUE',
    hudi='1.2.0',
    options={
        'hoodie.metadata.enable': 'true',
        'hoodie.metadata.index.column.stats.enable': 'true',
        'hoodie.metadata.index.column.stats.file.group.count': '1',
        'hoodie.metadata.index.column.stats.parallelism': '1',
        'hoodie.metadata.index.partition.stats.enable': 'true',
        'hoodie.metadata.index.column.stats.column.list': 'reading',
    },
)
index = Index(table)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `state` STRING, `reading` DOUBLE',
    [
        [  # a data file
            "('k0000', 'NY', CAST('5.0' AS DOUBLE))",
            "('k0001', 'NY', CAST('NaN' AS DOUBLE))",
        ],
        [  # a data file
            "('k0002', 'NY', CAST('1.0' AS DOUBLE))",
            "('k0003', 'NY', CAST('2.0' AS DOUBLE))",
        ],
        [  # a data file
            "('k0004', 'CA', CAST('3.0' AS DOUBLE))",
            "('k0005', 'CA', CAST('4.0' AS DOUBLE))",
        ],
    ],
)
index.keep('bulk insert')
index.ask(
    '`reading` = 5.0D',
    '`reading` > 4.0D',
    "(`state` = 'NY') AND (`reading` = 5.0D)",
    "`reading` = double('nan')",
    '`reading` = 2.0D',
    '`reading` < 4.0D',
    '`reading` IS NOT NULL',
    '`reading` IS NULL',
)
table.close()
