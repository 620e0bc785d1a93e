"""How a table's files are reached: what a process needs to open them, here or on a cluster."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from xtable_audit.access.confined import AllowedFolder, Confined, root_of
from xtable_audit.locate.stores import LOCAL, Stores, scheme_of
from xtable_audit.model.limits import LIMITS, Limits
from xtable_audit.model.patience import Patience


@dataclass(frozen=True)
class Reach:
    """Plain values, which can cross to another process; a credential that is not among them is that process's own."""

    metadata_location: str
    stores: Stores = field(default_factory=Stores, repr=False)
    allow: tuple[str, ...] = ()
    """Folders of files beside the table's own."""
    limits: Limits = LIMITS
    own: tuple[str, ...] = ()
    """Names of folders around which a table's own is, if they hold its metadata."""

    def objects(self) -> Confined:
        """Read-only access to the files below the table's folder and below those of `allow`. Raises Problem."""
        folders = tuple(
            AllowedFolder(address, replace(self.stores.objects(address), limits=self.limits))
            for address in (root_of(self.metadata_location, self.own), *self.allow)
        )
        patience = Patience.of_disk() if scheme_of(self.metadata_location) in LOCAL else Patience()
        return Confined(folders[0].objects.filesystem, self.limits, folders, patience)
