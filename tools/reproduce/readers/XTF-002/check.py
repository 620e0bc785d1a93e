"""XTF-002: Trino registers no table in a Nessie catalog.

Needs `pip install trino "pyiceberg[pyarrow,sql-sqlite]"`, and either Docker, which starts Trino and Nessie by
compose.yaml, or TRINO_URL and NESSIE_URI: a Trino with catalog.management=dynamic that sees this machine's disk, and a
Nessie's /api/v2. It was run with Trino 476 and Nessie 0.99.0 as processes, and by compose.yaml from stand-ins of its
images: the same programs of Maven Central in a Debian, not the images themselves.

PyIceberg writes an empty Iceberg table to the local disk. Trino registers its metadata in a catalog of another kind, a
file metastore, and in a Nessie catalog.

Ends with 10 if Trino refuses the registration in Nessie alone, 0 if the table can be read there, 6 if neither can be
tried.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from trino.dbapi import Connection
from trino.exceptions import Error, TrinoQueryError

FOLDER = Path("/tmp/xtable-reproduce/trino")
"""As Trino sees it: `local:///`."""
COMPOSE = ["docker", "compose", "-f", str(Path(__file__).with_name("compose.yaml"))]
READY_IN = 180
"""Seconds."""
PRESENT, GONE, NOT_TRIED = 10, 0, 6
LOCAL = {
    "fs.native-local.enabled": "true",
    "local.location": str(FOLDER),
    "iceberg.register-table-procedure.enabled": "true",
}
FILE_METASTORE = {
    "iceberg.catalog.type": "TESTING_FILE_METASTORE",
    "hive.metastore.catalog.dir": "local:///metastore",
    "hive.metastore.disable-location-checks": "true",
}


def main() -> int:
    shutil.rmtree(FOLDER, ignore_errors=True)
    for folder in (FOLDER, FOLDER / "metastore"):
        folder.mkdir(parents=True)
        folder.chmod(0o777)
    metadata = table()
    theirs = os.environ.get("TRINO_URL"), os.environ.get("NESSIE_URI")
    if theirs[0] and theirs[1]:
        return tried(theirs[0], theirs[1], metadata)
    if shutil.which("docker") is None or subprocess.run(["docker", "info"], capture_output=True).returncode:
        print("COULD NOT RUN: no Docker answers, and TRINO_URL and NESSIE_URI are not set")
        return NOT_TRIED
    with composed():
        return tried("http://127.0.0.1:18080", "http://nessie:19120/api/v2", metadata)


def table() -> str:
    """The name of the metadata file of an empty table in FOLDER/t, whose addresses are Trino's."""
    catalog = SqlCatalog("here", uri="sqlite:///:memory:", warehouse=FOLDER.as_uri())
    catalog.create_namespace("n")
    location = f"{FOLDER.as_uri()}/t"
    made = catalog.create_table("n.t", pa.schema([("id", pa.int64())]), location=location)
    path = Path(made.metadata_location.removeprefix("file://"))
    path.write_text(path.read_text().replace(location, "local:///t"))
    for one in (path, path.parent, path.parent.parent):
        one.chmod(0o777)
    return path.name


@contextmanager
def composed() -> Iterator[None]:
    try:
        subprocess.run([*COMPOSE, "up", "--detach"], check=True)
        wait_for_nessie()
        yield
    finally:
        subprocess.run([*COMPOSE, "down"], check=False)


def wait_for_nessie() -> None:
    """Trino asks it once, and reports a Nessie that is still starting as an internal error."""
    deadline = time.monotonic() + READY_IN
    while True:
        try:
            with urlopen("http://127.0.0.1:18120/api/v2/config", timeout=5):
                return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(1)


def tried(trino: str, nessie: str, metadata: str) -> int:
    at = urlsplit(trino)
    connection = Connection(at.hostname or "", at.port or 8080, "reproduce", http_scheme=at.scheme)
    version = ready(connection)
    by_nessie = {
        "iceberg.catalog.type": "nessie",
        "iceberg.nessie-catalog.uri": nessie,
        "iceberg.nessie-catalog.default-warehouse-dir": "local:///warehouse",
    }
    kinds = {"file_metastore": FILE_METASTORE, "nessie": by_nessie}
    answers = {name: read(connection, name, kind, metadata) for name, kind in kinds.items()}
    print(f"Trino {version}")
    return judged(answers)


def judged(answers: Mapping[str, str]) -> int:
    """The exit status by what `read` answered for each kind of catalog."""
    for name, answer in answers.items():
        print(f"  register_table in a catalog by {name}: {answer}")
    if answers["file_metastore"] != "0 rows":
        print("\nCOULD NOT RUN: Trino does not register the table in another catalog either")
        return NOT_TRIED
    if answers["nessie"] == "0 rows":
        print("\nFAULT GONE: XTF-002")
        return GONE
    if "registerTable is not supported" in answers["nessie"]:
        print("\nFAULT PRESENT: XTF-002")
        return PRESENT
    print("\nCOULD NOT RUN: Trino's refusal is not about registering tables")
    return NOT_TRIED


def ready(connection: Connection) -> str:
    """Trino's version, once it answers."""
    deadline = time.monotonic() + READY_IN
    while True:
        try:
            [[version]] = asked(connection, "SELECT node_version FROM system.runtime.nodes LIMIT 1")
            return str(version)
        except (Error, OSError):
            if time.monotonic() > deadline:
                raise
            time.sleep(1)


def read(connection: Connection, name: str, kind: dict[str, str], metadata: str) -> str:
    """The rows of the table after its registration in a new catalog of this kind, or Trino's words of refusal."""
    settings = ", ".join(f"\"{key}\" = '{value}'" for key, value in (LOCAL | kind).items())
    try:
        asked(connection, f"CREATE CATALOG {name} USING iceberg WITH ({settings})")
        try:
            asked(connection, f"CREATE SCHEMA {name}.s")
            asked(connection, f"CALL {name}.system.register_table('s', 't', 'local:///t', '{metadata}')")
            [[rows]] = asked(connection, f"SELECT count(*) FROM {name}.s.t")
            return f"{rows} rows"
        finally:
            asked(connection, f"DROP CATALOG {name}")
    except TrinoQueryError as refused:
        return f"{refused.error_name}: {refused.message}"


def asked(connection: Connection, statement: str) -> list[list[object]]:
    cursor = connection.cursor()
    cursor.execute(statement)
    return [list(row) for row in cursor.fetchall()]


if __name__ == "__main__":
    sys.exit(main())
