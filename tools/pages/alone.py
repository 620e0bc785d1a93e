"""How a page says that its finding is reproduced without this suite."""

from __future__ import annotations

from tools.reproduce.finding import ReproducedBy, of_upgrades, table_of, way_of, writer_of
from tools.reproduce.folder import FOLDER_WORDS, KERNEL_WORDS, is_folder, warm_words
from xtable.writer import KERNEL
from xtable_audit.register.entry import Entry

DOES = {
    ReproducedBy.SYNC: "writes the table with plain {writer}, has XTable sync it in a fresh JVM, and\n"
    "prints what is stored beside the values.",
    ReproducedBy.SPARK: "writes the table with plain {writer}, without XTable, and prints what Hudi's\n"
    "indexes store beside the values, and the rows that Hudi's reader finds with `hoodie.enable.data.skipping` off\n"
    "and on.",
    ReproducedBy.READER: "shows it with the reader alone; its first lines say what that takes.",
}
CHOICE = {
    ReproducedBy.SYNC: " `XTABLE=` takes another release, `JAR=` a fix just built.",
    ReproducedBy.SPARK: ' `ARGS="--hudi 1.0.2"` takes another release, `JAR=` a bundle just built.',
    ReproducedBy.READER: "",
}
FIRST_SYNC = """
It is about upgrades in place: **FROM= must name the release of the first sync**. In the folder alone that is
`XTABLE_FROM_CLASSPATH`, the class path of that release."""

WARM = """With `--warm` each sync is still a JVM of its own, which first
loads the classes that one that has run many syncs has loaded."""


def alone(entry: Entry) -> str:
    """As Markdown; "" for a finding that no small table shows."""
    way = way_of(entry)
    if way is None:
        return ""
    before, first, needed = "", "", ""
    if of_upgrades(entry):
        before, first, needed = "XTABLE_FROM_CLASSPATH=… ", " FROM=0.2.0", FIRST_SYNC
    warm = " --warm" if entry.warm else ""
    if entry.warm:
        first += " WARM=1"
        needed += f"\n\n**{warm_words(entry.warm)}** {WARM}"
    if writer_of(entry) is KERNEL:
        needed += f"\n\n{KERNEL_WORDS}"
    of_folder = way is ReproducedBy.SYNC and is_folder(table_of(entry))
    if of_folder:
        needed += f"\n\n{FOLDER_WORDS}"
    does = DOES[way].format(writer="Arrow" if of_folder else "Spark")
    return f"""\
`make reproduce FINDING={entry.id}{first}` {does}{CHOICE[way]}
What it runs is a folder, `out/reproduce`, that needs nothing of this suite. Each release of the suite has the folders
of all findings, as `reproductions.zip`. Copied out, it is run by

```sh
{before}./reproduce.sh{warm} {entry.id}
```

The script ends with 1 if the fault is there as this page says, 0 if it is gone, 6 if it could not be tried or has
another form. How it ended at each release: [reproduced.md](reproduced.md).{needed}"""
