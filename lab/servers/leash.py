"""Runs a program that must not outlive its parent: `python -m lab.servers.leash --remove FOLDER -- program arguments…`.

The program ends when the leash's standard input does (the system closes it even after `kill -9` of the parent), and
FOLDER, its scratch data, goes with it. The leash ends with the program's exit code.
"""

from __future__ import annotations

import argparse
import ctypes
import shutil
import signal
import subprocess
import sys
import threading

from lab.servers.parent import wait_for_end_of_input

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--remove", metavar="FOLDER")
    parser.add_argument("--in", metavar="FOLDER", dest="folder", help="the program's working folder")
    parser.add_argument("program", nargs="+")
    options = parser.parse_args()
    program = subprocess.Popen(
        options.program, cwd=options.folder, stdin=subprocess.DEVNULL, preexec_fn=_die_with_leash
    )

    def wait_for_parent() -> None:
        wait_for_end_of_input()
        program.kill()

    threading.Thread(target=wait_for_parent, daemon=True).start()
    code = program.wait()
    if options.remove:
        shutil.rmtree(options.remove, ignore_errors=True)
    return code


def _die_with_leash() -> None:
    """On Linux the program also dies when the leash itself is killed; elsewhere it is freed by its parent's end."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
