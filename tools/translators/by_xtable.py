"""XTable, live, over the same folders as the others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from lab.provision.sources.known import with_own_jars
from lab.stack.versions import releases
from tools.translators.sources import OwnCopy
from tools.translators.translator import MetadataTranslator, NotTranslated, Translate
from xtable.report import SyncFailed
from xtable.sync import Translator

RELEASE = releases()[0]


@contextmanager
def opened(work: Path) -> Iterator[Translate]:
    """A JVM for each source format, with the class path that an audit of that format has."""
    with ExitStack() as running:
        started: dict[str, Translator] = {}

        def translate(source: OwnCopy) -> str:
            if source.format not in started:
                jars = with_own_jars([source.format])
                translator = Translator.start(RELEASE, None, work / source.format, sources=jars)
                started[source.format] = running.enter_context(translator)
            spec = source.table.partition_spec
            try:
                at = str(source.folder)
                return started[source.format].sync(source.format, at, source.name, spec, "FULL").metadata_location
            except SyncFailed as failed:
                raise NotTranslated(failed.words) from failed

        yield translate


XTABLE = MetadataTranslator(
    id="xtable",
    words="Apache XTable",
    version=f"XTable {RELEASE}",
    takes=("PARQUET", "DELTA", "PAIMON"),
    needs=(f"org.apache.xtable:xtable-core_2.12:{RELEASE}",),
    asked="One full sync of a table that it has not synced before.",
    opened=opened,
)
