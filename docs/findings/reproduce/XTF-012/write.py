"""XTF-012: A column that is null in a whole file gets bounds of zero or false, in XTable's metadata and in Hudi's own index

Every type, all null in one file. Statistics from Hudi's column index, a partition a file. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'types_nulls_index',
    partition_by=['part'],
    spec='part:VALUE',
    options={
        'hoodie.metadata.enable': 'true',
        'hoodie.metadata.index.column.stats.enable': 'true',
        'hoodie.metadata.index.column.stats.file.group.count': '1',
        'hoodie.metadata.index.column.stats.parallelism': '1',
    },
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `part` STRING, `s` STRING, `i` INT, `l` BIGINT, `d` DOUBLE, `f` FLOAT, `b` BOOLEAN, `bin` BINARY, `m` DECIMAL(10, 2), `day` DATE, `at` TIMESTAMP',
    [
        [  # a data file
            "('k0000', 'p0', 'a', 1, 1, CAST('1.5' AS DOUBLE), CAST('1.5' AS FLOAT), true, X'61', CAST('1.25' AS DECIMAL(10, 2)), DATE '2024-01-01', TIMESTAMP '2024-01-01 00:00:00.000000 UTC')",
            "('k0001', 'p0', 'b', 2, 2, CAST('2.5' AS DOUBLE), CAST('2.5' AS FLOAT), false, X'62', CAST('2.50' AS DECIMAL(10, 2)), DATE '2024-01-02', TIMESTAMP '2024-01-02 00:00:00.000000 UTC')",
        ],
        [  # a data file
            "('k0002', 'p1', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
            "('k0003', 'p1', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
        ],
        [  # a data file
            "('k0004', 'p2', 'a', 1, 1, CAST('1.5' AS DOUBLE), CAST('1.5' AS FLOAT), true, X'61', CAST('1.25' AS DECIMAL(10, 2)), DATE '2024-01-01', TIMESTAMP '2024-01-01 00:00:00.000000 UTC')",
            "('k0005', 'p2', 'b', 2, 2, CAST('2.5' AS DOUBLE), CAST('2.5' AS FLOAT), false, X'62', CAST('2.50' AS DECIMAL(10, 2)), DATE '2024-01-02', TIMESTAMP '2024-01-02 00:00:00.000000 UTC')",
        ],
    ],
)
table.sync()
table.close()
