"""The cost of the suite beside that of Spark, XTable and readers: `python -m tools benchmarks [NAME …] [--scale S]`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from types import ModuleType

from rich.console import Console

from tools.benchmarks import gate, hudi_skipping, latency, metadata, readers, scan, shapes
from tools.benchmarks.cold import bare, cold
from tools.benchmarks.hudi_skipping import shipping
from tools.benchmarks.metadata_readers import decoders
from tools.benchmarks.scan import judge
from tools.benchmarks.waits import check, development, download, goals

ALL: dict[str, ModuleType | Callable[[float], Iterator[str]]] = {
    "download": download,
    "goals": goals,
    "cold": cold,
    "bare": bare,
    "gate": gate,
    "judge": judge,
    "metadata": metadata,
    "decoders": decoders,
    "scan": scan,
    "shapes": shapes,
    "latency": latency,
    "check": check,
    "shipping": shipping,
    "readers": readers,
    "hudi_skipping": hudi_skipping,
    "development": development,
}
"""A module has one function, `measure`. What each measures is the first line of its docstring."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ALL)}; all by default")
    parser.add_argument("--scale", type=float, default=0.01, help="size of the tables (1 = 9,384,433 rows)")
    parser.add_argument("-k", dest="tables", default="", metavar="EXPRESSION", help="of gate: these tables alone")
    parser.add_argument("--readers", default="none", help="of gate: as of pytest (default: none)")
    options = parser.parse_args()
    unknown = set(options.names) - set(ALL)
    if unknown:
        parser.error(f"there is no benchmark {sorted(unknown)[0]!r}; there are {', '.join(ALL)}")
    console = Console(highlight=False)
    for name in options.names or ALL:
        console.print(f"\n[bold]{name}[/]  {(ALL[name].__doc__ or '').splitlines()[0]}")
        if name == "gate":
            for line in gate.measure(options.scale, options.tables, options.readers):
                print(line, flush=True)  # Markdown, to be pasted
            continue
        measured = ALL[name]
        measure = measured.measure if isinstance(measured, ModuleType) else measured
        for line in measure(options.scale):
            console.print(f"  {line}")


if __name__ == "__main__":
    main()
