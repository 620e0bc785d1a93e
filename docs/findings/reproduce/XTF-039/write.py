"""XTF-039: Delta columns whose statistics XTable does not find have neither bounds nor counts; before 0.4.0 some such syncs fail

No statistics in Delta's log. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'delta_no_stats',
    format='DELTA',
    options={
        'delta.enableDeletionVectors': 'false',
        'delta.dataSkippingNumIndexedCols': '0',
    },
)

# 1. append
table.write(
    'append',
    '`record_key` STRING, `i` INT, `s` STRING',
    [
        [  # a data file
            "('k0000', 10, 's010')",
            "('k0001', 11, 's011')",
            "('k0002', 12, 's012')",
            "('k0003', 13, 's013')",
            "('k0004', 14, 's014')",
        ],
        [  # a data file
            "('k0005', 20, 's020')",
            "('k0006', 21, 's021')",
            "('k0007', 22, 's022')",
            "('k0008', 23, 's023')",
            "('k0009', 24, 's024')",
        ],
    ],
)
table.sync()
table.close()
