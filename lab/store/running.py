"""A running store, and the handle through which other processes share it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import TracebackType

from lab.store.address import Workspace
from lab.store.log import RequestLog
from xtable_audit.model.problem import Problem


def no_store() -> RunningStore:
    """For what needs none. Raises Problem, so that nothing reaches a store unseen."""
    raise Problem("This needs a store, and there is none.")


def _nothing() -> None:
    """For a store that this process did not start."""


@dataclass(frozen=True)
class RunningStore:
    """An S3 with an existing bucket. Leaving the context stops the server that was started for it."""

    store: Workspace
    log: RequestLog | None
    """None if the server keeps no request log for us (a real S3): read files are then unknown."""
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
        """The same server under another access key, whose log has only the requests of that key.

        Windows of different guests do not wait for each other. If the server checks credentials (MinIO, AWS), it is
        this store itself, and windows are serialised.
        """
        if not self.takes_any_credential:
            return replace(self, stop=_nothing)
        log = replace(self.log, access_key=access_key) if self.log else None
        return replace(self, store=replace(self.store, access_key=access_key), log=log, stop=_nothing)

    def to_json(self) -> str:
        """All that another process needs to share this store. Contains the secret key: keep it out of reports."""
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
        fields = json.loads(text)
        log = fields["log"] and RequestLog(**fields["log"] | {"locks": Path(fields["log"]["locks"])})
        return cls(Workspace(**fields["store"]), log, fields["name"], fields["takes_any_credential"])
