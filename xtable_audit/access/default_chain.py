"""Whether Google's or Azure's default credential can be found: without one their clients try for minutes to find it."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from xtable_audit.model.problem import Unreachable

SECONDS = 2.0
"""For a machine of the cloud to answer, which has a credential of its own."""
GOOGLES_FILE = "GOOGLE_APPLICATION_CREDENTIALS"
Environment = Mapping[str, str]


@dataclass(frozen=True)
class Chain:
    """`properties` are those of PyIceberg's that hold a credential, without which the client goes by the default."""

    properties: tuple[str, ...]
    found: Callable[[Environment], bool]
    advice: str

    def demand(self, uri: str, properties: Mapping[str, str], environment: Environment = os.environ) -> None:
        """Raises Unreachable if nothing in the environment holds a credential for `uri`, and no property does."""
        if not any(properties.get(name) for name in self.properties) and not self.found(environment):
            raise Unreachable(f"{uri} needs a credential, and none is found: {self.advice}")


def _googles(environment: Environment) -> bool:
    if named := environment.get(GOOGLES_FILE):
        if not Path(named).is_file():
            raise Unreachable(f"{GOOGLES_FILE} names {named}, which is no file")
        return True
    users = Path(environment.get("HOME", "~")).expanduser() / ".config/gcloud/application_default_credentials.json"
    return users.is_file() or _answers(environment.get("GCE_METADATA_ROOT", "metadata.google.internal"))


def _azures(environment: Environment) -> bool:
    named = ("AZURE_CLIENT_ID", "AZURE_FEDERATED_TOKEN_FILE", "IDENTITY_ENDPOINT", "MSI_ENDPOINT")
    if any(environment.get(name) for name in named) or shutil.which("az", path=environment.get("PATH", "")):
        return True
    return _answers("169.254.169.254")


def _answers(host: str) -> bool:
    name, _, port = host.partition(":")
    with suppress(OSError), socket.create_connection((name, int(port or 80)), SECONDS):
        return True
    return False


GOOGLE = Chain(
    ("gcs.oauth2.token",),
    _googles,
    f"run `gcloud auth application-default login`, or set {GOOGLES_FILE} to the file of a service account; of a "
    "catalog, set gcs.oauth2.token",
)
AZURE = Chain(
    ("adls.account-key", "adls.sas-token", "adls.client-secret"),
    _azures,
    "run `az login`, or set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET; of a catalog, set "
    "adls.account-key or adls.sas-token",
)
