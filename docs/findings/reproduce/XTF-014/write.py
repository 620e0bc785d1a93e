"""XTF-014: Columns that Hudi's column stats index leaves out have neither bounds nor counts

Hudi's column index from the first commit on, partitioned. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'index_whole',
    partition_by=['part'],
    spec='part:VALUE',
)

# 1. two files
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
    {'hoodie.metadata.enable': 'true', 'hoodie.metadata.index.column.stats.enable': 'true', 'hoodie.metadata.index.column.stats.file.group.count': '1', 'hoodie.metadata.index.column.stats.parallelism': '1'},
)
table.sync()

# 2. a third file
table.write(
    'bulk_insert',
    '`record_key` STRING, `part` STRING, `i` INT, `s` STRING, `m` DECIMAL(10, 2), `st` STRUCT<`n`: INT>',
    [
        [  # a data file
            "('n0000', 'p3', 30, 's30', CAST('3.50' AS DECIMAL(10, 2)), named_struct('n', CAST(30 AS INT)))",
            "('n0001', 'p3', 35, 's35', CAST('3.75' AS DECIMAL(10, 2)), named_struct('n', CAST(35 AS INT)))",
        ],
    ],
    {'hoodie.metadata.enable': 'true', 'hoodie.metadata.index.column.stats.enable': 'true', 'hoodie.metadata.index.column.stats.file.group.count': '1', 'hoodie.metadata.index.column.stats.parallelism': '1'},
)
table.sync()
table.close()
