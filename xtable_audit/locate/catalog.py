"""A table by its name in a catalog, as PyIceberg's own configuration knows it: REST, Glue, Hive, SQL and others."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from xtable_audit.access.endpoint import handed_out
from xtable_audit.model.malformed import first_line
from xtable_audit.model.problem import Problem, Unreachable

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog

OURS = {"init_catalog_tables": "false", "py-io-impl": "xtable_audit.locate.guarded.ArrowFiles"}
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
        from xtable_audit.locate.guarded import GuardedRest  # late: other catalogs do without

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
