"""How a page says that its finding is reproduced without this suite."""

from __future__ import annotations

from reproduce.finding import Way, of_upgrades, way_of
from xtable_audit.register.entry import Entry

WRITES = {
    Way.SYNC: "writes the table with plain Spark, has XTable sync it in a fresh JVM, and prints what is stored beside\n"
    "the values.",
    Way.SPARK: "writes the table with plain Spark, and prints what Hudi's indexes store beside the values, and the\n"
    "rows that Hudi's own reader finds with `hoodie.enable.data.skipping` off and on. XTable takes no part.",
    Way.READER: "is a script that needs the reader alone; its first lines say what that is.",
}
CHOICE = {
    Way.SYNC: ", with `XTABLE=` for another release and `JAR=` for a fix just built",
    Way.SPARK: ', with `ARGS="--hudi 1.0.2"` for another release and `JAR=` for a bundle just built',
    Way.READER: "",
}


def alone(entry: Entry, above: str) -> str:
    """As Markdown, for a page beside the folder `above`; "" for a finding that no small table shows."""
    way = way_of(entry)
    if way is None:
        return ""
    before = "XTABLE_FROM_CLASSPATH=… " if of_upgrades(entry) else ""
    first = " FROM=0.2.0" if of_upgrades(entry) else ""
    needed = (
        "\nIt is about upgrades in place, so the release of the first sync must be named: FROM= here, in the folder\n"
        "XTABLE_FROM_CLASSPATH, the class path of that release."
        if of_upgrades(entry)
        else ""
    )
    return f"""\
[{above}/{entry.id}]({above}/{entry.id}) {WRITES[way]}
Nothing in [{above}]({above}) needs this suite; its [README]({above}/README.md) says what it needs. Copy it out and run

```sh
{before}./reproduce.sh {entry.id}
```

or, here, `make reproduce FINDING={entry.id}{first}`{CHOICE[way]}.
The script ends with 1 if the fault is there, 0 if it is gone, 6 if it could not be tried.{needed}
"""
