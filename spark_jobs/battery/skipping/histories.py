"""skip_*: what happens to a table after its first commit: are Hudi's statistics still true, are they still tight?"""

from __future__ import annotations

from spark_jobs.battery.mor import COMPACTED_BY_HAND
from spark_jobs.battery.skipping.common import FIRST, ZIPS, lab, zips
from spark_jobs.battery.table import Step, service, write

NO_STATISTICS = {
    "hoodie.metadata.index.column.stats.enable": "false",
    "hoodie.metadata.index.partition.stats.enable": "false",
}
DROP_CA = {"hoodie.datasource.write.partitions.to.delete": "state=CA"}


def upsert(code: str) -> Step:
    return write("upsert", ZIPS, zips("NY", ["n1"], code), words=f"NY's smallest becomes {code}")


def insert(state: str, key: str, code: str, words: str = "") -> Step:
    return write("bulk_insert", ZIPS, zips(state, [key], code), words=words or f"{code} in {state}")


DELETE_MINIMUM = write("delete", ZIPS, zips("NY", ["n1"], "10001"), words="NY's smallest is deleted")
DELETE_NY = write(
    "delete",
    ZIPS,
    zips("NY", ["n1", "n2", "n3", "n4"], "10001", "10300", "10200", "14999"),
    words="all rows of NY are deleted",
)

TABLES = (
    lab(
        "widened",
        "An upsert that widens the bounds of a state, and one that takes it back.",
        FIRST,
        upsert("90001"),
        upsert("10001"),
    ),
    lab("minimum_deleted", "The row that is the lower bound of its state is deleted.", FIRST, DELETE_MINIMUM),
    lab(
        "emptied",
        "All rows of a state are deleted, then it gets a new one.",
        FIRST,
        DELETE_NY,
        insert("NY", "n5", "12000"),
    ),
    lab("clustered", "Clustering of the two files of each state.", FIRST, service("cluster")),
    lab(
        "overwritten",
        "insert_overwrite of a state.",
        FIRST,
        write("insert_overwrite", ZIPS, zips("NY", ["n6"], "10500"), words="NY is overwritten with 10500"),
    ),
    lab(
        "state_dropped",
        "delete_partition of a state, which then gets a new row.",
        FIRST,
        write("delete_partition", ZIPS, zips("CA", []), words="CA is dropped", options=DROP_CA),
        insert("CA", "c5", "95555"),
    ),
    lab(
        "rolled_back",
        "A commit that widened the bounds of a state is rolled back, then life goes on.",
        FIRST,
        insert("NY", "n5", "99999"),
        service("rollback", of=2),
        insert("NY", "n6", "12000"),
    ),
    lab(
        "rebuilt",
        "A commit without statistics drops the indexes, the next one builds them anew.",
        FIRST,
        write("bulk_insert", ZIPS, zips("NY", ["n5"], "15500"), words="15500 in NY", options=NO_STATISTICS),
        insert("CA", "c5", "97000"),
    ),
    lab(
        "logged",
        "MERGE_ON_READ: an upsert that widens the bounds of a state, in a log file that nothing compacts.",
        FIRST,
        upsert("90001"),
        options=COMPACTED_BY_HAND,
    ),
    lab(
        "compacted",
        "MERGE_ON_READ: an upsert that widens the bounds of a state, one that takes it back, compaction.",
        FIRST,
        upsert("90001"),
        upsert("10001"),
        service("compact"),
        options=COMPACTED_BY_HAND,
    ),
    lab(
        "log_deleted",
        "MERGE_ON_READ: the row that is the lower bound of its state is deleted, then compaction.",
        FIRST,
        DELETE_MINIMUM,
        service("compact"),
        options=COMPACTED_BY_HAND,
    ),
)
