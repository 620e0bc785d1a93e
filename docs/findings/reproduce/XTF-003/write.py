"""XTF-003: NaN in a float or double column makes its bounds 0.0, in XTable's metadata and in Hudi's own index

NaN among ordinary doubles and floats. Statistics from Hudi's column index, a partition a file. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'types_nan_index',
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
    '`record_key` STRING, `part` STRING, `d` DOUBLE, `f` FLOAT',
    [
        [  # a data file
            "('k0000', 'p0', CAST('1.0' AS DOUBLE), CAST('1.0' AS FLOAT))",
            "('k0001', 'p0', CAST('5.0' AS DOUBLE), CAST('5.0' AS FLOAT))",
            "('k0002', 'p0', CAST('NaN' AS DOUBLE), CAST('NaN' AS FLOAT))",
        ],
        [  # a data file
            "('k0003', 'p1', CAST('NaN' AS DOUBLE), CAST('NaN' AS FLOAT))",
            "('k0004', 'p1', CAST('-3.5' AS DOUBLE), CAST('-3.5' AS FLOAT))",
        ],
        [  # a data file
            "('k0005', 'p2', NULL, NULL)",
            "('k0006', 'p2', CAST('NaN' AS DOUBLE), CAST('NaN' AS FLOAT))",
            "('k0007', 'p2', CAST('9.0' AS DOUBLE), CAST('9.0' AS FLOAT))",
        ],
        [  # a data file
            "('k0008', 'p3', CAST('NaN' AS DOUBLE), CAST('NaN' AS FLOAT))",
            "('k0009', 'p3', CAST('NaN' AS DOUBLE), CAST('NaN' AS FLOAT))",
        ],
        [  # a data file
            "('k0010', 'p4', CAST('2.0' AS DOUBLE), CAST('2.0' AS FLOAT))",
            "('k0011', 'p4', CAST('4.0' AS DOUBLE), CAST('4.0' AS FLOAT))",
        ],
    ],
)
table.sync()
table.close()
