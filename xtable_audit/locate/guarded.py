"""What PyIceberg is given to open catalogs with: it asks no host but those that the user configured, and only reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pyarrow.fs import FileSystem
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.typedef import EMPTY_DICT, Properties

from xtable_audit.access.access import S3_SCHEMES, Access
from xtable_audit.locate.stores import AZURE, tells_of_s3

if TYPE_CHECKING:
    from requests import PreparedRequest, Response, Session


HOSTS = ("uri", "oauth2-server-uri")
"""Properties that name a host to which PyIceberg sends requests with the user's credential."""


class GuardedRest(RestCatalog):
    """Neither a redirect leads to another host, nor a `uri` that the catalog puts in place of the user's."""

    def __init__(self, name: str, **properties: Any) -> None:
        found = [urlsplit(str(properties[key])) for key in HOSTS if properties.get(key)]
        self._allowed = {(one.hostname or "").lower(): one.scheme for one in found}
        super().__init__(name, **properties)

    def _config_headers(self, session: Session) -> None:
        """The first that PyIceberg does with a session (0.12), before it asks for a token."""
        send, allowed = session.send, self._allowed

        def guarded(request: PreparedRequest, **more: Any) -> Response:
            asked = urlsplit(request.url or "")
            host = (asked.hostname or "").lower()
            if host not in allowed or (allowed[host] == "https" and asked.scheme != "https"):
                where = f"{asked.scheme}://{asked.netloc}"
                raise PermissionError(
                    f"it leads to {where}, which is not asked: configure that as its uri, if you trust it"
                )
            return send(request, **more)

        session.send = guarded  # type: ignore[method-assign]
        super()._config_headers(session)


class ArrowFiles(PyArrowFileIO):
    """PyIceberg's (0.12) takes `container@account.dfs.core.windows.net` in `abfss://…` for the container's name, and
    knows less of AWS's default chain than what reads the table's files: neither an endpoint nor a login."""

    def _initialize_fs(self, scheme: str, netloc: str | None = None) -> FileSystem:
        if scheme in S3_SCHEMES and not tells_of_s3(self.properties):
            return Access(guarded=True).objects(f"{scheme}://{netloc}").filesystem
        return super()._initialize_fs(scheme, netloc)

    @staticmethod
    def parse_location(location: str, properties: Properties = EMPTY_DICT) -> tuple[str, str, str]:
        parts = urlsplit(location)
        if parts.scheme in AZURE and parts.username:
            return parts.scheme, parts.netloc, f"{parts.username}{parts.path}"
        return PyArrowFileIO.parse_location(location, properties)
