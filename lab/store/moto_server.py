"""moto's S3 as a process of its own: `python -m lab.store.moto_server BUCKET`.

Listens on a free port of 127.0.0.1, prints it, and ends when its standard input does, hence with its parent however
that ended. Only moto's S3 is loaded: its dispatcher over all of AWS costs a third more on every request. Cheroot
serves it: Werkzeug's server closes every connection after one request, and half of moto's time went into threads.
"""

from __future__ import annotations

import argparse
import select
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from cheroot.server import HTTPConnection
from cheroot.wsgi import Server
from moto.moto_server.werkzeug_app import create_backend_app
from moto.s3.utils import _VersionedKeyStore as Keys
from werkzeug.test import Client

from lab.servers.ends_with_parent import end_with_parent
from lab.store.log import Journal, WsgiApp, journalled

MILLISECONDS = 50
"""How long a thread waits for the next request before it returns the connection. XTable sends one every 2 to 5 ms."""


class StayingConnection(HTTPConnection):
    """Answers requests in the same thread as long as the next one arrives within MILLISECONDS.

    Between two requests Cheroot returns a connection to the thread that waits for all connections, and that thread
    passes it to a worker again. These two thread changes take about a tenth of a request's processor time.
    """

    def communicate(self) -> bool:
        """Answers requests. Returns whether to keep the then idle connection open."""
        while super().communicate():  # type: ignore[no-untyped-call]
            if not self._next_is_there():
                return True
        return False

    def _next_is_there(self) -> bool:
        if self.rfile.has_data():
            return True
        waiting = select.poll()  # select() supports no descriptor above 1023
        waiting.register(self.socket, select.POLLIN)
        return bool(waiting.poll(MILLISECONDS))


def items(self: Keys) -> Iterator[tuple[str, Any]]:
    """Each key with its newest version. moto copies the keys, and then looks each one up among those still there."""
    for key, versions in self._self_iterable().items():
        yield key, versions[-1]


def list_at_one_moment() -> None:
    """For every bucket of this process. moto's own listing fails (500) if another request deletes an object."""
    Keys.items = items


THREADS = 32
"""More than a run's workers and readers, each of which may wait for its marker in the journal."""
SECONDS = 600
"""Seconds an idle connection stays open, since clients reuse it."""


def raw_uris(app: WsgiApp) -> WsgiApp:
    """`app` with the raw path in the variable that moto reads, since a key may contain `%2F`."""

    def serve(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        environ["RAW_URI"] = environ["REQUEST_URI"]
        return app(environ, start_response)

    return serve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bucket")
    bucket = parser.parse_args().bucket
    end_with_parent()
    list_at_one_moment()
    app = create_backend_app("s3")
    created = Client(app).put(f"/{bucket}")
    if created.status_code != 200:
        sys.exit(f"moto does not create bucket {bucket}: {created.status}")
    server = Server(("127.0.0.1", 0), raw_uris(journalled(app, Journal())), numthreads=THREADS, timeout=SECONDS)
    server.keep_alive_conn_limit = None  # type: ignore[assignment] # no limit: counting them took a tenth of the time
    server.ConnectionClass = StayingConnection
    server.prepare()
    print(server.bind_addr[1], flush=True)
    server.serve()


if __name__ == "__main__":
    main()
