"""On which addresses a process takes connections, by the kernel's own tables (Linux)."""

from __future__ import annotations

import ipaddress
import os
from pathlib import Path

LISTEN = "0A"  # include/net/tcp_states.h


def addresses_of(pid: int) -> set[str]:
    """`{"127.0.0.1"}` of a server that keeps to itself."""
    sockets = {os.readlink(descriptor) for descriptor in Path(f"/proc/{pid}/fd").iterdir()}
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            local, state, inode = (line.split()[place] for place in (1, 3, 9))
            if state == LISTEN and f"socket:[{inode}]" in sockets:
                found.add(_address(bytes.fromhex(local.partition(":")[0])))
    return found


def _address(raw: bytes) -> str:
    """Words of four bytes, each turned round."""
    turned = b"".join(raw[start : start + 4][::-1] for start in range(0, len(raw), 4))
    address = ipaddress.ip_address(turned)
    return str(getattr(address, "ipv4_mapped", None) or address)
