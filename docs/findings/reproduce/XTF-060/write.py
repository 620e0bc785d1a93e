"""XTF-060: What an earlier release wrote about a file stays: no later sync mends it, not even a full one

It is about upgrades in place: XTABLE_FROM_CLASSPATH names the release of the first sync (sync.sh);
`make reproduce` takes FROM=0.2.0.

Decimals of four widths. Statistics from Hudi's column index, a partition a file. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'types_decimal_index',
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
    '`record_key` STRING, `part` STRING, `m4` DECIMAL(4, 2), `m10` DECIMAL(10, 2), `m18` DECIMAL(18, 0), `m38` DECIMAL(38, 10)',
    [
        [  # a data file
            "('k0000', 'p0', CAST('-99.99' AS DECIMAL(4, 2)), CAST('10.50' AS DECIMAL(10, 2)), CAST('-128' AS DECIMAL(18, 0)), CAST('-128.5000000000' AS DECIMAL(38, 10)))",
            "('k0001', 'p0', CAST('0.01' AS DECIMAL(4, 2)), CAST('10.75' AS DECIMAL(10, 2)), CAST('128' AS DECIMAL(18, 0)), CAST('128.5000000000' AS DECIMAL(38, 10)))",
        ],
        [  # a data file
            "('k0002', 'p1', CAST('1.00' AS DECIMAL(4, 2)), CAST('-99999999.99' AS DECIMAL(10, 2)), CAST('1000' AS DECIMAL(18, 0)), CAST('1000.2500000000' AS DECIMAL(38, 10)))",
            "('k0003', 'p1', CAST('99.99' AS DECIMAL(4, 2)), CAST('99999999.99' AS DECIMAL(10, 2)), CAST('99999999999999' AS DECIMAL(18, 0)), CAST('123456789.0000000001' AS DECIMAL(38, 10)))",
        ],
        [  # a data file
            "('k0004', 'p2', NULL, NULL, NULL, NULL)",
            "('k0005', 'p2', CAST('5.00' AS DECIMAL(4, 2)), CAST('5.00' AS DECIMAL(10, 2)), CAST('5' AS DECIMAL(18, 0)), CAST('5.0000000000' AS DECIMAL(38, 10)))",
        ],
    ],
)
table.sync()
table.close()
