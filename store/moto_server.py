"""moto's S3 as a process of its own: `python -m store.moto_server BUCKET`.

Listens on a free port of 127.0.0.1, prints it, and ends when its standard input does, hence with its parent however
that ended. Only moto's S3 is loaded: its dispatcher over all of AWS costs a third more on every request.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from typing import Any

from moto.moto_server.werkzeug_app import MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server
from werkzeug.test import Client

from stack.leash import wait_for_end_of_input
from store.journal import Journal, journalled


class QuietHandler(MotoRequestHandler):
    disable_nagle_algorithm = True

    def log_request(self, code: Any = "-", size: Any = "-") -> None:
        """The journal is the log."""


def end_with_parent() -> None:
    """Ends this process once standard input is closed, which the system does even after `kill -9` of the parent."""

    def wait() -> None:
        wait_for_end_of_input()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bucket")
    bucket = parser.parse_args().bucket
    end_with_parent()
    app = create_backend_app("s3")
    created = Client(app).put(f"/{bucket}")
    if created.status_code != 200:
        sys.exit(f"moto does not create bucket {bucket}: {created.status}")
    server = make_server("127.0.0.1", 0, journalled(app, Journal()), threaded=True, request_handler=QuietHandler)
    print(server.port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
