"""XTF-038: A Delta table with a type that XTable does not map fails the sync

Timestamps without a zone. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'delta_ntz',
    format='DELTA',
    options={
        'delta.enableDeletionVectors': 'false',
    },
)

# 1. append
table.write(
    'append',
    '`record_key` STRING, `at` TIMESTAMP_NTZ',
    [
        [  # a data file
            "('k0000', TIMESTAMP_NTZ '1970-01-01 00:00:00')",
        ],
    ],
)
table.sync()
table.close()
