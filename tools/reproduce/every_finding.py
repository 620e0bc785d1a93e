"""`make reproduced`: runs the reproduction of every finding at every release that it names, for hours.

Each is `python -m tools reproduce` as a person runs it. The answers go to `docs/findings/reproduced.json`, one by one:
a run that was stopped goes on where it was. A trial that ran before, with the same script over the same classes, is
left out unless `--again`. `make findings` then writes the table, `docs/findings/reproduced.md`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from threading import Lock

from lab.provision.checked_register import REGISTER, register
from lab.stack.project import ROOT
from tools.reproduce.finding import ReproducedBy, way_of
from tools.reproduce.reproduced_json import (
    COULD_NOT_RUN,
    GONE,
    PRESENT,
    Reproduction,
    Result,
    command,
    digest_of,
    in_words,
    load,
    resolves,
    save,
    script_of,
    table_name,
    trials_of,
)
from xtable_audit.register.entry import Entry
from xtable_audit.report.pages import verdict_of

OF_STATUS = {0: GONE, 1: PRESENT}


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    entries = [entry for entry in register(REGISTER) if not options.findings or entry.id in options.findings]
    unknown = sorted(set(options.findings) - {entry.id for entry in entries})
    if unknown:
        print(f"There is no finding {', '.join(unknown)}.", file=sys.stderr)
        return 4
    run = Reproductions(load(), again=options.again)
    wanted = [
        (entry, trial) for entry in entries for trial in trials_of(entry, options.main) if run.is_due(entry, trial)
    ]
    print(f"{len(wanted)} trials are due", flush=True)
    wanted.sort(key=lambda one: table_name(one[0]))
    groups = [list(of) for _, of in groupby(wanted, key=lambda one: table_name(one[0]))]
    with ThreadPoolExecutor(options.jobs) as pool:
        for _ in pool.map(run.each, groups):
            pass
    untried = [trial for trial, result in run.results.items() if result.ended not in (PRESENT, GONE)]
    print(f"{len(run.results)} trials are kept; {len(untried)} of them could not try their finding")
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools reproduce.every_finding", description=__doc__)
    parser.add_argument("findings", nargs="*", metavar="XTF-…", help="these alone (default: every finding)")
    parser.add_argument(
        "--main", default="", metavar="VERSION", help="a build of XTable's main branch, in Maven's cache"
    )
    parser.add_argument("--jobs", type=int, default=2, help="how many run at once (default: 2)")
    parser.add_argument("--again", action="store_true", help="also what ran before")
    return parser.parse_args(arguments)


class Reproductions:
    """The trials that are run, and all answers so far."""

    def __init__(self, results: dict[Reproduction, Result], *, again: bool) -> None:
        self.results = results
        self._again = again
        self._lock = Lock()

    def is_due(self, entry: Entry, trial: Reproduction) -> bool:
        """Whether it can be run, and did not run before with this script over these classes."""
        if not resolves(trial):
            print(f"left as it is, for it does not resolve: {trial}")
            return False
        before = self.results.get(trial)
        if before is None or before.ended == COULD_NOT_RUN:
            return True
        return self._again or (before.script, before.digest) != (script_of(entry), digest_of(trial))

    def each(self, trials: Sequence[tuple[Entry, Reproduction]]) -> None:
        """One after the other: they write the same table."""
        for entry, trial in trials:
            result = tried(entry, trial, ROOT / "out" / "reproduced" / table_name(entry))
            with self._lock:
                self.results[trial] = result
                save(self.results)
                print(f"{trial}: {result.ended}: {result.why}", flush=True)


def tried(entry: Entry, trial: Reproduction, folder: Path) -> Result:
    """Runs one trial. Its output goes to `output.log` in the folder."""
    kept = folder / trial.finding / "result.json"
    kept.unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "output.log").open("ab") as log:
        arguments = [sys.executable, "-m", "tools.reproduce", *command(trial, folder)]
        done = subprocess.run(arguments, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=False)
    result = json.loads(kept.read_text()) if kept.is_file() else {}
    if way_of(entry) is ReproducedBy.READER and done.returncode in OF_STATUS:
        result = {"ended": OF_STATUS[done.returncode], "claim": entry.where[0].claims[0], "verdict": verdict_of(entry)}
    return Result(
        ended=result.get("ended", COULD_NOT_RUN),
        claim=result.get("claim", ""),
        verdict=str(result.get("verdict", "")),
        why=result.get("why", "" if result else f"the script ended with {done.returncode}"),
        day=datetime.now(UTC).date(),
        digest=digest_of(trial),
        script=script_of(entry),
        claims=in_words(result.get("claims", {})),
    )


if __name__ == "__main__":
    sys.exit(main())
