"""Where tables come from. A new source of tables is a module here and its line in `PROVIDERS`."""

from provision.providers.built_here import BuiltHere
from provision.providers.laboratory import Laboratory
from provision.providers.provider import Provider

PROVIDERS: tuple[Provider, ...] = (BuiltHere(), Laboratory())
