"""XTF-034: Long Delta strings get an upper bound below their values

Strings longer than the 32 characters that Delta's statistics keep. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'delta_long_texts',
    format='DELTA',
    options={
        'delta.enableDeletionVectors': 'false',
    },
)

# 1. append
table.write(
    'append',
    '`record_key` STRING, `s` STRING',
    [
        [  # a data file
            "('k0000', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')",
            "('k0001', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb')",
        ],
        [  # a data file
            "('k0002', '😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀')",
            "('k0003', 'z')",
        ],
    ],
)
table.sync()
table.close()
