"""A recorded table whose older metadata.json files a policy of retention removed: `-p tests.whole_runs.retained`."""

from __future__ import annotations

from functools import partialmethod
from typing import Any

from lab.provision.translator_output import Translated
from lab.store.disk import Disk
from lab.subjects.table import Offer
from tests.whole_runs.own_metadata import own_metadata
from xtable_audit.model.objects import Objects

TABLE = "history_upsert"
of_a_table = Translated.judged


def judged(translated: Translated, offer: Offer, objects: Objects, disk: Disk) -> Any:
    if str(offer.id) == f"{TABLE}-xtable":
        for path in own_metadata(disk, translated.dataset.prefix).glob("*.metadata.json"):
            if not translated.newest.endswith(f"/{path.name}"):
                path.unlink()
    return of_a_table(translated, offer, objects, disk)


setattr(Translated, "judged", partialmethod(judged))  # noqa: B010
