"""XTF-075: Delta Standalone writes null counts of a map's keys and values: delta-rs and Polars skip no file, or refuse the table

Lists, lists of structs and maps: empty, null, with null elements. Statistics from the footers. `../reproduce.sh` runs this.
"""

from history import Table

table = Table(
    'types_lists_plain',
)

# 1. bulk insert
table.write(
    'bulk_insert',
    '`record_key` STRING, `xs` ARRAY<INT>, `ps` ARRAY<STRUCT<`x`: INT, `s`: STRING>>, `kv` MAP<STRING, BIGINT>',
    [
        [  # a data file
            "('k0000', array(1, 2, 3), array(named_struct('x', CAST(1 AS INT), 's', CAST('a' AS STRING))), map('a', 1))",
            "('k0001', array(4), array(named_struct('x', CAST(2 AS INT), 's', CAST(NULL AS STRING))), map('b', NULL))",
        ],
        [  # a data file
            "('k0002', array(), array(), map())",
            "('k0003', NULL, NULL, NULL)",
        ],
        [  # a data file
            "('k0004', array(7, NULL), array(named_struct('x', CAST(NULL AS INT), 's', CAST('z' AS STRING))), map('c', 3, 'd', 4))",
            "('k0005', array(9), array(NULL), map('e', 5))",
        ],
    ],
)
table.sync()
table.close()
