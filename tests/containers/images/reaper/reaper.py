"""Ryuk's protocol: each line of a connection is a filter (`label=NAME=VALUE`); once no connection has been open for the
reconnection timeout, containers, networks and volumes that match a filter are removed.
"""

import http.client
import json
import os
import socket
import sys
import threading
import time
from typing import Any
from urllib.parse import quote

TIMEOUT = float(os.environ.get("RYUK_RECONNECTION_TIMEOUT", "10s").removesuffix("s"))
FIRST = 60.0
filters: set[str] = set()
state = {"open": 0, "since": time.monotonic(), "had": False}


class Docker(http.client.HTTPConnection):
    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect("/var/run/docker.sock")


def ask(method: str, path: str) -> Any:
    connection = Docker("docker")
    connection.request(method, path)
    answer = connection.getresponse().read()
    return json.loads(answer) if answer.strip().startswith((b"[", b"{")) else None


def listen(peer: socket.socket) -> None:
    with peer, peer.makefile("rw") as lines:
        for line in lines:
            filters.add(line.strip())
            lines.write("ACK\n")
            lines.flush()
    state.update(open=state["open"] - 1, since=time.monotonic())


def remove() -> None:
    for line in filters:
        label = quote(json.dumps({"label": [line.removeprefix("label=")]}))
        for container in ask("GET", f"/containers/json?all=1&filters={label}"):
            ask("DELETE", f"/containers/{container['Id']}?force=1&v=1")
        for network in ask("GET", f"/networks?filters={label}"):
            ask("DELETE", f"/networks/{network['Id']}")
        for volume in ask("GET", f"/volumes?filters={label}")["Volumes"] or ():
            ask("DELETE", f"/volumes/{volume['Name']}?force=1")


def watch() -> None:
    while state["open"] or time.monotonic() - state["since"] < (TIMEOUT if state["had"] else FIRST):
        time.sleep(0.2)
    remove()
    os._exit(0)


threading.Thread(target=watch, daemon=True).start()
with socket.create_server(("0.0.0.0", 8080)) as server:
    print("stand-in of Ryuk: Started!")
    while True:
        peer, _ = server.accept()
        state.update(open=state["open"] + 1, had=True)
        threading.Thread(target=listen, args=(peer,), daemon=True).start()
sys.exit(0)
