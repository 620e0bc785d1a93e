"""XTF-063: Columns of Delta tables have size 0 in column_sizes

Ordinary values of every type. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'delta_plain',
    format='DELTA',
    options={
        'delta.enableDeletionVectors': 'false',
    },
)

# 1. append
table.write(
    'append',
    '`record_key` STRING, `s` STRING, `i` INT, `l` BIGINT, `d` DOUBLE, `f` FLOAT, `b` BOOLEAN, `bin` BINARY, `m` DECIMAL(10, 2), `day` DATE, `at` TIMESTAMP',
    [
        [  # a data file
            "('k0000', 'a', 1, 1, CAST('1.5' AS DOUBLE), CAST('1.5' AS FLOAT), true, X'61', CAST('1.25' AS DECIMAL(10, 2)), DATE '2024-01-01', TIMESTAMP '2024-01-01 00:00:00.000000 UTC')",
            "('k0001', 'b', 2, 2, CAST('2.5' AS DOUBLE), CAST('2.5' AS FLOAT), false, X'62', CAST('2.50' AS DECIMAL(10, 2)), DATE '2024-01-02', TIMESTAMP '2024-01-02 00:00:00.000000 UTC')",
        ],
        [  # a data file
            "('k0002', 'a', 1, 1, CAST('1.5' AS DOUBLE), CAST('1.5' AS FLOAT), true, X'61', CAST('1.25' AS DECIMAL(10, 2)), DATE '2024-01-01', TIMESTAMP '2024-01-01 00:00:00.000000 UTC')",
            "('k0003', 'b', 2, 2, CAST('2.5' AS DOUBLE), CAST('2.5' AS FLOAT), false, X'62', CAST('2.50' AS DECIMAL(10, 2)), DATE '2024-01-02', TIMESTAMP '2024-01-02 00:00:00.000000 UTC')",
        ],
    ],
)
table.sync()
table.close()
