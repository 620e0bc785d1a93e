"""moto's S3 server as a child process: the default store."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from lab.stack.project import ROOT
from lab.store.address import BUCKET, Workspace
from lab.store.log import RequestLog
from lab.store.running import RunningStore
from xtable_audit.model.problem import Problem, last_line


def start(bucket: str = BUCKET) -> RunningStore:
    """Starts moto on a free port of 127.0.0.1 with `bucket`. It ends with this process, however that ends."""
    state = tempfile.TemporaryDirectory(prefix="moto-")
    log_file = Path(state.name) / "moto.log"
    with log_file.open("wb") as errors:  # an unread pipe would fill up and block it
        child = subprocess.Popen(
            [sys.executable, "-m", "lab.store.moto_server", bucket],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,  # Ctrl-C must not end it: the run needs its store to finish cleanly
        )
    assert child.stdin is not None
    assert child.stdout is not None
    port = child.stdout.readline().strip()
    if not port:
        child.communicate()
        words = last_line(log_file.read_text(errors="replace"))
        state.cleanup()
        raise Problem(f"moto's S3 server did not start ({words}); install it with: pip install 'moto[server]'")
    endpoint = f"http://127.0.0.1:{port}"
    store = Workspace(endpoint=endpoint, access_key="audit", secret_key="audit-secret", bucket=bucket)

    def stop() -> None:
        child.communicate()  # closes its standard input, so it ends
        state.cleanup()

    log = RequestLog(endpoint, bucket, store.access_key, journal=endpoint, locks=Path(state.name))
    return RunningStore(store, log, "moto", takes_any_credential=True, stop=stop)
