"""PyIceberg's REST catalog, which asks no host but those that the user configured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pyiceberg.catalog.rest import RestCatalog

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
