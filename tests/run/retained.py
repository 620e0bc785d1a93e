"""A recorded table whose older metadata.json files a policy of retention removed: `-p tests.run.retained`."""

from __future__ import annotations

from functools import partialmethod
from typing import Any

from provision.cases import TranslatedTable
from store.addresses import Addresses
from store.objects import list_objects, remove
from xtable_audit.model.objects import Objects

TABLE = "history_upsert"
of_a_table = TranslatedTable.judged


def judged(translated: TranslatedTable, objects: Objects, store: Addresses) -> Any:
    if str(translated.offer.id) == f"{TABLE}-xtable":
        for key in list_objects(store, translated.dataset.prefix):
            if key.endswith(".metadata.json") and not translated.translated.newest.endswith(f"/{key}"):
                remove(store, key)
    return of_a_table(translated, objects, store)


setattr(TranslatedTable, "judged", partialmethod(judged))  # noqa: B010
