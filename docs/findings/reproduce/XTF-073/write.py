"""XTF-073: Delta Kernel: a full sync fails over a decimal of more than 15 digits whose bound is rounded up

XTable writes Delta by Delta Kernel where its target has the property xtable.delta.target.use_kernel=true. Its
command line, RunSync, passes no properties to a target, so there is no config.yaml. What does: XTable's API
(TargetTable.additionalProperties, which Sync.java sets), Hudi's sync tool XTableSyncTool
(hoodie.xtable.delta.target.use_kernel=true), and RunCatalogSync, which hands on the parameters of a table that
it finds in a Hive or Glue catalog.

Decimals as INT32, INT64 and fixed bytes. Statistics from the footers. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'types_decimal_ints_plain',
    options={
        'hoodie.parquet.writelegacyformat.enabled': 'false',
    },
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `m4` DECIMAL(4, 2), `m10` DECIMAL(10, 2), `m18` DECIMAL(18, 0), `m38` DECIMAL(38, 10)',
    [
        [  # a data file
            "('k0000', CAST('-99.99' AS DECIMAL(4, 2)), CAST('10.50' AS DECIMAL(10, 2)), CAST('-128' AS DECIMAL(18, 0)), CAST('-128.5000000000' AS DECIMAL(38, 10)))",
            "('k0001', CAST('0.01' AS DECIMAL(4, 2)), CAST('10.75' AS DECIMAL(10, 2)), CAST('128' AS DECIMAL(18, 0)), CAST('128.5000000000' AS DECIMAL(38, 10)))",
        ],
        [  # a data file
            "('k0002', CAST('1.00' AS DECIMAL(4, 2)), CAST('-99999999.99' AS DECIMAL(10, 2)), CAST('1000' AS DECIMAL(18, 0)), CAST('1000.2500000000' AS DECIMAL(38, 10)))",
            "('k0003', CAST('99.99' AS DECIMAL(4, 2)), CAST('99999999.99' AS DECIMAL(10, 2)), CAST('99999999999999' AS DECIMAL(18, 0)), CAST('123456789.0000000001' AS DECIMAL(38, 10)))",
        ],
        [  # a data file
            "('k0004', NULL, NULL, NULL, NULL)",
            "('k0005', CAST('5.00' AS DECIMAL(4, 2)), CAST('5.00' AS DECIMAL(10, 2)), CAST('5' AS DECIMAL(18, 0)), CAST('5.0000000000' AS DECIMAL(38, 10)))",
        ],
        [  # a data file
            "('k0006', CAST('-99.99' AS DECIMAL(4, 2)), CAST('0.00' AS DECIMAL(10, 2)), CAST('-999999999999999999' AS DECIMAL(18, 0)), CAST('-9999999999999999999999999999.9999999999' AS DECIMAL(38, 10)))",
            "('k0007', CAST('99.99' AS DECIMAL(4, 2)), CAST('0.01' AS DECIMAL(10, 2)), CAST('999999999999999999' AS DECIMAL(18, 0)), CAST('9999999999999999999999999999.9999999999' AS DECIMAL(38, 10)))",
        ],
    ],
)
table.sync()
table.close()
