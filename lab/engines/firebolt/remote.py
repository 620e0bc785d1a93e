"""A Firebolt that somebody else runs: a Core by its URL, or an engine of Firebolt's cloud by environment variables."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from lab.engines.firebolt.handle import CLOUD_API, FireboltEngine
from xtable_audit.access.s3 import S3
from xtable_audit.model.problem import Problem

NEEDED = ("FIREBOLT_CLIENT_ID", "FIREBOLT_CLIENT_SECRET", "FIREBOLT_ACCOUNT", "FIREBOLT_ENGINE")
"""As Firebolt's own clients call them. FIREBOLT_DATABASE and FIREBOLT_API_ENDPOINT may be set too."""


def by_url(url: str) -> FireboltEngine:
    """A running Core. Raises Problem for anything but its URL."""
    parts = urlsplit(url)
    try:
        valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        valid = False
    if not valid or parts.path.strip("/") or parts.query or parts.username:
        raise Problem(
            f"--firebolt takes auto, container, cloud or a URL like http://127.0.0.1:3473, not {_without_password(url)}"
        )
    return FireboltEngine(url=url.rstrip("/"))


def _without_password(url: str) -> str:
    """The URL without a password."""
    head, at, tail = url.rpartition("@")
    return f"{head.partition('://')[0]}://…@{tail}" if at else url


def missing(environ: Mapping[str, str] = os.environ) -> list[str]:
    """The variables that the cloud needs and the environment lacks."""
    return [name for name in NEEDED if not environ.get(name)]


def by_environment(environ: Mapping[str, str] = os.environ) -> FireboltEngine:
    """An engine of the cloud. Raises Problem, naming the variables that are not set."""
    if absent := missing(environ):
        raise Problem(f"Firebolt's cloud needs {', '.join(absent)}: set {'them' if len(absent) > 1 else 'it'}")
    return FireboltEngine(
        account=environ["FIREBOLT_ACCOUNT"],
        engine=environ["FIREBOLT_ENGINE"],
        database=environ.get("FIREBOLT_DATABASE", ""),
        client_id=environ["FIREBOLT_CLIENT_ID"],
        client_secret=environ["FIREBOLT_CLIENT_SECRET"],
        api=environ.get("FIREBOLT_API_ENDPOINT") or CLOUD_API,
    )


def check_reach(engine: FireboltEngine, store: S3) -> None:
    """Raises Problem, before any query, if the engine runs elsewhere and cannot reach the store."""
    if not engine.url and store.endpoint is not None and not _is_amazon(store.endpoint):
        raise Problem(
            f"{engine.where} reads only Amazon S3 and cannot reach a store on {store.host}: "
            "choose a bucket with --s3, or use --firebolt container"
        )
    if engine.url and store.endpoint and _is_loopback(store.endpoint) and not _is_loopback(engine.url):
        raise Problem(
            f"{engine.where} is on another machine and cannot reach a store on {store.host} of this one: "
            "choose another with --s3, or use --firebolt container"
        )


def _is_amazon(endpoint: str) -> bool:
    host = urlsplit(endpoint).hostname or ""
    return host.endswith((".amazonaws.com", ".amazonaws.com.cn"))


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
