"""XTF-041: NaN in a Delta column becomes a NaN bound

NaN among ordinary doubles and floats. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'delta_nan',
    format='DELTA',
    options={
        'delta.enableDeletionVectors': 'false',
    },
)

# 1. append
table.write(
    'append',
    '`record_key` STRING, `d` DOUBLE, `f` FLOAT',
    [
        [  # a data file
            "('k0000', CAST('1.0' AS DOUBLE), CAST('1.0' AS FLOAT))",
            "('k0001', CAST('5.0' AS DOUBLE), CAST('5.0' AS FLOAT))",
            "('k0002', CAST('NaN' AS DOUBLE), CAST('NaN' AS FLOAT))",
        ],
        [  # a data file
            "('k0003', CAST('NaN' AS DOUBLE), CAST('NaN' AS FLOAT))",
            "('k0004', CAST('NaN' AS DOUBLE), CAST('NaN' AS FLOAT))",
        ],
    ],
)
table.sync()
table.close()
