"""Runs a script of the kit, dozens of times in this process: one that Python starts anew only imports for a second.

And `fault.json` for it, as `tools/reproduce/folder.py` makes it.
"""

from __future__ import annotations

import io
import os
import re
import runpy
import subprocess
import sys
import traceback
import warnings
from collections.abc import Sequence
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tools.reproduce.finding import KIT_FOLDER
from tools.reproduce.folder import KIT
from xtable_audit.claims.every_claim import EVERY_CLAIM

Done = subprocess.CompletedProcess[str]


def as_command(script: str, folder: Path) -> Done:
    """As `reproduce.sh` runs it."""
    command = [sys.executable, str(KIT_FOLDER / script)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def ran(script: str, folder: Path) -> Done:
    """The same here: in that folder, with the kit's modules imported anew, and gone from this process afterwards."""
    out, err = io.StringIO(), io.StringIO()
    command = [str(KIT_FOLDER / script)]
    modules = {Path(name).stem for name in KIT if name.endswith(".py")}
    with ExitStack() as here:
        forget(modules)
        here.callback(forget, modules)
        here.enter_context(patch.object(sys, "path", [str(KIT_FOLDER), *sys.path]))
        here.enter_context(patch.object(sys, "argv", command))
        here.enter_context(patch.dict(os.environ))
        here.enter_context(chdir(folder))
        here.enter_context(warnings.catch_warnings())
        warnings.simplefilter("default")
        here.enter_context(redirect_stdout(out))
        here.enter_context(redirect_stderr(err))
        status = _status(command[0])
    return Done(command, status, out.getvalue(), err.getvalue())


def module(name: str) -> dict[str, Any]:
    """What a module of the kit defines, with those that it imports gone from this process afterwards."""
    modules = {Path(one).stem for one in KIT if one.endswith(".py")}
    forget(modules)
    with patch.object(sys, "path", [str(KIT_FOLDER), *sys.path]):
        defined = runpy.run_path(str(KIT_FOLDER / name))
    forget(modules)
    return defined


def forget(modules: set[str]) -> None:
    for name in modules:
        sys.modules.pop(name, None)


def _status(script: str) -> int:
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        return int(end.code or 0)
    except Exception:  # noqa: BLE001 - as Python itself ends
        traceback.print_exc()
        return 1
    return 0


def fault(claims: Sequence[str], columns: Sequence[str] = (), verdict: str = "", release: str = "1.2.0") -> Any:
    """The first claim is the headline, at `verdict`, or at that which it usually has."""
    headline = {"claim": claims[0], "verdict": verdict or str(EVERY_CLAIM[claims[0]].breaks)}
    known = [
        {"claim": claim, "breaks": str(EVERY_CLAIM[claim].breaks), "columns": list(columns) or ["*"]}
        for claim in claims
    ]
    return {"id": "XTF-000", "title": "a fault", "headline": {release: headline}, "claims": known}


def not_seen(printed: str) -> list[str]:
    """The claims of the finding that were tried and hold."""
    return sorted(re.findall(r"^[* ] not seen +(\w+)$", printed, re.M))


def named_by(script: str) -> set[str]:
    """The claims that a script of the kit names, with the modules that it shares with others."""
    texts = [
        (KIT_FOLDER / name).read_text(encoding="utf-8") for name in (script, "checks.py", "columns.py", "files.py")
    ]
    named = {claim for text in texts for claim in re.findall(r'(?:Fails\(|yield |claim = |else )"([a-z_]+)"', text)}
    of_files = {claim for claim in named if claim.startswith("no_file_is_")}
    return named | {f"{claim}_after_a_sync" for claim in of_files}
