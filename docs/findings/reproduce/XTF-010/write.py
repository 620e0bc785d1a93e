"""XTF-010: Columns that Hudi's column stats index leaves out, fields of structs among them, have neither bounds nor counts

Structs in structs: null ones, null leaves, a NaN leaf. Statistics from Hudi's column index, a partition a file. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'types_nested_index',
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
    '`record_key` STRING, `part` STRING, `st` STRUCT<`n`: INT, `d`: DOUBLE, `s`: STRING, `in`: STRUCT<`m`: DECIMAL(10, 2), `at`: TIMESTAMP>>',
    [
        [  # a data file
            "('k0000', 'p0', named_struct('n', CAST(1 AS INT), 'd', CAST(CAST('1.5' AS DOUBLE) AS DOUBLE), 's', CAST('a' AS STRING), 'in', CAST(named_struct('m', CAST(CAST('0.01' AS DECIMAL(10, 2)) AS DECIMAL(10, 2)), 'at', CAST(TIMESTAMP '1970-01-02 00:00:00.000000 UTC' AS TIMESTAMP)) AS STRUCT<`m`: DECIMAL(10, 2), `at`: TIMESTAMP>)))",
            "('k0001', 'p0', named_struct('n', CAST(2 AS INT), 'd', CAST(CAST('2.5' AS DOUBLE) AS DOUBLE), 's', CAST('b' AS STRING), 'in', CAST(named_struct('m', CAST(CAST('0.02' AS DECIMAL(10, 2)) AS DECIMAL(10, 2)), 'at', CAST(TIMESTAMP '1970-01-03 00:00:00.000000 UTC' AS TIMESTAMP)) AS STRUCT<`m`: DECIMAL(10, 2), `at`: TIMESTAMP>)))",
        ],
        [  # a data file
            "('k0002', 'p1', named_struct('n', CAST(10 AS INT), 'd', CAST(CAST('4.0' AS DOUBLE) AS DOUBLE), 's', CAST('m' AS STRING), 'in', CAST(named_struct('m', CAST(CAST('0.10' AS DECIMAL(10, 2)) AS DECIMAL(10, 2)), 'at', CAST(TIMESTAMP '1970-01-11 00:00:00.000000 UTC' AS TIMESTAMP)) AS STRUCT<`m`: DECIMAL(10, 2), `at`: TIMESTAMP>)))",
            "('k0003', 'p1', named_struct('n', CAST(20 AS INT), 'd', CAST(CAST('NaN' AS DOUBLE) AS DOUBLE), 's', CAST('n' AS STRING), 'in', CAST(named_struct('m', CAST(CAST('0.20' AS DECIMAL(10, 2)) AS DECIMAL(10, 2)), 'at', CAST(TIMESTAMP '1970-01-21 00:00:00.000000 UTC' AS TIMESTAMP)) AS STRUCT<`m`: DECIMAL(10, 2), `at`: TIMESTAMP>)))",
        ],
        [  # a data file
            "('k0004', 'p2', NULL)",
            "('k0005', 'p2', named_struct('n', CAST(NULL AS INT), 'd', CAST(NULL AS DOUBLE), 's', CAST(NULL AS STRING), 'in', CAST(NULL AS STRUCT<`m`: DECIMAL(10, 2), `at`: TIMESTAMP>)))",
            "('k0006', 'p2', named_struct('n', CAST(300 AS INT), 'd', CAST(CAST('-7.0' AS DOUBLE) AS DOUBLE), 's', CAST('z' AS STRING), 'in', CAST(named_struct('m', CAST(CAST('3.00' AS DECIMAL(10, 2)) AS DECIMAL(10, 2)), 'at', CAST(TIMESTAMP '1970-10-28 00:00:00.000000 UTC' AS TIMESTAMP)) AS STRUCT<`m`: DECIMAL(10, 2), `at`: TIMESTAMP>)))",
        ],
        [  # a data file
            "('k0007', 'p3', NULL)",
            "('k0008', 'p3', NULL)",
        ],
    ],
)
table.sync()
table.close()
