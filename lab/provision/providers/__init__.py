"""Where tables come from. A new source of tables is a module here and its line in `PROVIDERS`."""

from lab.provision.providers.built_here import BuiltHere
from lab.provision.providers.laboratory import Laboratory
from lab.provision.providers.provider import Provider

PROVIDERS: tuple[Provider, ...] = (BuiltHere(), Laboratory())
