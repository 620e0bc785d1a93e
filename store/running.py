"""A store that can be used now, and the handle by which other processes share it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import TracebackType

from store.log import RequestLog
from store.workspace import Workspace


def _nothing() -> None:
    """A store that somebody else started is not ours to stop."""


@dataclass(frozen=True)
class RunningStore:
    """An S3 with its bucket in place. Leaving the context stops what was started for it."""

    store: Workspace
    log: RequestLog | None
    """None where the server tells nobody who asked for what (a real S3): opened files are then unknown."""
    name: str
    """For reports: `moto`, `minio` or the endpoint."""
    takes_any_credential: bool = False
    stop: Callable[[], None] = field(default=_nothing, repr=False, compare=False)
    """Ends the server; may be called twice."""

    def __enter__(self) -> RunningStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def guest(self, access_key: str) -> RunningStore:
        """The same server under an access key of its own, whose log holds the requests of that key alone.

        Guests' windows do not wait for each other. Where the server checks credentials (MinIO, AWS) it is this store
        itself, and windows are serialised.
        """
        if not self.takes_any_credential:
            return replace(self, stop=_nothing)
        log = replace(self.log, access_key=access_key) if self.log else None
        return replace(self, store=replace(self.store, access_key=access_key), log=log, stop=_nothing)

    def to_json(self) -> str:
        """Everything another process needs to share this store. Holds the secret key: keep it out of reports."""
        return json.dumps(
            {
                "store": asdict(self.store),
                "log": asdict(self.log) | {"locks": str(self.log.locks)} if self.log else None,
                "name": self.name,
                "takes_any_credential": self.takes_any_credential,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> RunningStore:
        """The store of `to_json`, shared: stopping it does nothing."""
        told = json.loads(text)
        log = told["log"] and RequestLog(**told["log"] | {"locks": Path(told["log"]["locks"])})
        return cls(Workspace(**told["store"]), log, told["name"], told["takes_any_credential"])
