"""Endpoints that a catalog hands out. A machine's own credentials are served at a link-local address."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from xtable_audit.model.problem import Problem

NAMES = (
    *("s3.endpoint", "s3.proxy-uri", "gcs.service.host", "gcs.endpoint", "adls.account-host"),
    *("adls.blob-storage-authority", "adls.dfs-storage-authority"),
)
"""The properties of a PyIceberg FileIO that name a host."""


def demand_endpoints(properties: Mapping[str, str]) -> None:
    """Raises Problem if a property names a host with a link-local address, such as 169.254.169.254."""
    for name in NAMES:
        if (address := properties.get(name)) and _is_link_local(_host(address)):
            raise Problem(
                f"the catalog hands out {name} {address}, a link-local address, which is never asked for files"
            )


BEARERS = {
    "gcs.service.host": ("gcs.oauth2.token",),
    "gcs.endpoint": ("gcs.oauth2.token",),
    "adls.account-host": ("adls.account-key", "adls.sas-token", "adls.token"),
    "adls.blob-storage-authority": ("adls.account-key", "adls.sas-token", "adls.token"),
    "adls.dfs-storage-authority": ("adls.account-key", "adls.sas-token", "adls.token"),
}
"""Hosts to which a client sends a token as it is, and the properties that hold another credential. S3 and its proxies
get signatures alone."""


def handed_out(properties: Mapping[str, str], own: Mapping[str, str]) -> tuple[str, ...]:
    """A sentence for each host that the catalog names and the user's own configuration of it does not.

    Raises Problem for one that would get a token of the user's own.
    """
    hosts = {name: properties[name] for name in NAMES if properties.get(name) and properties[name] != own.get(name)}
    for name, address in hosts.items():
        if name in BEARERS and not any(properties.get(one) and one not in own for one in BEARERS[name]):
            raise Problem(
                f"the catalog hands out {name} {address} without a credential for it, and yours is not sent there: "
                f"if you trust it, configure {name} yourself"
            )
    return tuple(
        f"the catalog has files read from {address} ({name}), which you did not configure"
        for name, address in hosts.items()
    )


def _host(address: str) -> str:
    return urlsplit(address if "://" in address else f"//{address}").hostname or ""


def _is_link_local(host: str) -> bool:
    try:
        found = socket.getaddrinfo(host, None)
    except OSError:
        return False  # it answers nobody
    return any(ip_address(str(one[4][0]).partition("%")[0]).is_link_local for one in found)
