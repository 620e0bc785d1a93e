"""XTF-033: Delta decimals of more than 15 digits lose their last digits in the bounds

Decimals of four widths. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'delta_decimals',
    format='DELTA',
    options={
        'delta.enableDeletionVectors': 'false',
    },
)

# 1. append
table.write(
    'append',
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
    ],
)
table.sync()
table.close()
