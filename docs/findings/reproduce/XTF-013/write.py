"""XTF-013: Files without a row in Hudi's column stats index get record_count 0

Hudi's column index limited to a column inside a struct. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'index_inner',
    partition_by=['part'],
    spec='part:VALUE',
    options={
        'hoodie.metadata.enable': 'true',
        'hoodie.metadata.index.column.stats.enable': 'true',
        'hoodie.metadata.index.column.stats.file.group.count': '1',
        'hoodie.metadata.index.column.stats.parallelism': '1',
        'hoodie.metadata.index.column.stats.column.list': 'st.n',
    },
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING, `m` DECIMAL(10, 2), `st` STRUCT<`n`: INT>',
    [
        [  # a data file
            "('k0000', 'p1', 10, 's10', CAST('1.50' AS DECIMAL(10, 2)), named_struct('n', CAST(10 AS INT)))",
            "('k0001', 'p1', 15, 's15', CAST('1.75' AS DECIMAL(10, 2)), named_struct('n', CAST(15 AS INT)))",
        ],
        [  # a data file
            "('k0002', 'p2', 20, 's20', CAST('2.50' AS DECIMAL(10, 2)), named_struct('n', CAST(20 AS INT)))",
            "('k0003', 'p2', 25, 's25', CAST('2.75' AS DECIMAL(10, 2)), named_struct('n', CAST(25 AS INT)))",
        ],
    ],
)
table.sync()
table.close()
