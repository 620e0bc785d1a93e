"""A table by its name in a catalog, as PyIceberg's own configuration knows it: REST, Glue, Hive, SQL and others."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pyarrow.fs import FileSystem
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.typedef import EMPTY_DICT, Properties

from xtable_audit.access.access import S3_SCHEMES, Access
from xtable_audit.access.endpoint import handed_out
from xtable_audit.locate.stores import AZURE, tells_of_s3
from xtable_audit.model.malformed import first_line
from xtable_audit.model.problem import Problem, Unreachable

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog
    from requests import PreparedRequest, Response, Session


# What PyIceberg is given to open catalogs with: it asks no host but those that the user configured, and only reads.

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


OURS = {"init_catalog_tables": "false", "py-io-impl": "xtable_audit.locate.catalog.ArrowFiles"}
"""A SQL catalog makes none of its own tables, and files are read by Arrow, whatever their addresses call for."""
OF_THIS_PACKAGE = re.compile(r"pyiceberg\[(glue|hive)\]")
"""Extras that PyIceberg's messages name, and that this package has by the same names."""
HOW = "~/.pyiceberg.yaml or PYICEBERG_CATALOG__{name}__URI"


def metadata_in_catalog(identifier: str) -> tuple[str, Mapping[str, str], tuple[str, ...]]:
    """The address of the table's metadata.json, the properties by which its files are read, and notes on them.

    `identifier` is `catalog.namespace.table`. The catalog is asked for the table and nothing is written: a SQL catalog
    that lacks its own tables does not get them. Raises Problem.
    """
    from pyiceberg.exceptions import NoSuchIcebergTableError, NoSuchPropertyException, NoSuchTableError  # late: 0.3 s

    name, _, table = identifier.partition(".")
    try:
        catalog = _loaded(name)
    except OSError as error:
        raise Unreachable(f"the catalog {name} cannot be reached: {_reason(error)}") from error
    except Exception as error:
        raise Problem(f"the catalog {name} cannot be opened: {_reason(error)}; {_configure(name)}") from error
    try:
        found = catalog.load_table(table)
    except NoSuchTableError as error:
        raise Problem(f"the catalog {name} has no table {table}") from error
    except (NoSuchIcebergTableError, NoSuchPropertyException) as error:  # Hive has both
        raise Problem(f"{table} in the catalog {name} is no Iceberg table") from error
    except Exception as error:
        raise Unreachable(f"the catalog {name} does not tell of {table}: {_reason(error)}") from error
    finally:
        _close(catalog)
    properties = {key: str(value) for key, value in found.io.properties.items()}
    return found.metadata_location, properties, handed_out(properties, _configured(name))


def _loaded(name: str) -> Catalog:
    """As `load_catalog` does it, but for catalogs of REST."""
    from pyiceberg.catalog import _ENV_CONFIG, TYPE, CatalogType, infer_catalog_type, load_catalog

    own = _ENV_CONFIG.get_catalog_config(name) or {}
    kind = own and (own.get(TYPE) or infer_catalog_type(name, own))
    kind = str(getattr(kind, "value", kind)).lower()
    if kind == CatalogType.REST.value:
        return GuardedRest(name, **(own | OURS))
    return load_catalog(name, **(OURS | (_region(own) if kind == CatalogType.GLUE.value else {})))


def _region(own: Mapping[str, object]) -> dict[str, str]:
    """The region of Glue by AWS_REGION, as AWS's other SDKs have it: boto3 reads AWS_DEFAULT_REGION alone."""
    found = os.environ.get("AWS_REGION")
    return {"glue.region": found} if found and not own.keys() & {"glue.region", "client.region"} else {}


def _configured(name: str) -> Mapping[str, str]:
    """What the user configured of the catalog."""
    from pyiceberg.catalog import _ENV_CONFIG  # PyIceberg merges it with what the catalog tells

    return {key: str(value) for key, value in (_ENV_CONFIG.get_catalog_config(name) or {}).items()}


def _configure(name: str) -> str:
    return f"configure it as PyIceberg has it, in {HOW.format(name=name.upper())}, or name a metadata.json or a folder"


def _reason(error: BaseException) -> str:
    """What went wrong, without the credential that an address may hold."""
    return OF_THIS_PACKAGE.sub(r"xtable-audit[\1]", first_line(error))[:300]


def _close(catalog: Any) -> None:
    close = getattr(catalog, "close", None)
    if close is not None:
        close()
