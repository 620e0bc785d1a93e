"""Two of Maven's rules for the model of a pom that jgo 3.2 breaks.

jgo makes the models of parents, imports and dependencies itself, all of one class, so that class is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from xml.etree.ElementTree import Element

from jgo.maven import POM, Model

_value_of = Model._propvalue
_inject_profiles = Model._inject_profiles


def as_maven_builds_it() -> None:
    """Changes jgo's class, for this process. May be called again."""
    Model._propvalue = staticmethod(_used_twice)  # type: ignore[method-assign,assignment]
    Model._inject_profiles = _default_profiles_yield  # type: ignore[method-assign,assignment]


def _used_twice(name: str, properties: dict[str, str], path: set[str] | None = None) -> str | None:
    """The value of a property. It is a loop if it leads back to itself, and none if two others use it."""
    value: str | None = _value_of(name, properties, set(path or ()))
    return value


def _default_profiles_yield(model: Model, pom: POM) -> None:
    """Profiles that are active by default are not if another profile of their pom is (Maven, "Build Profiles").

    Hudi's poms have the versions for Spark in the one kind and a profile for Java 17 in the other.
    """
    activations = pom.elements("profiles/profile/activation")
    defaults = [(one, default) for one in activations for default in one.findall("activeByDefault")]
    for activation, default in defaults:
        activation.remove(default)
    is_active: Callable[[Element], bool] = model._is_active_profile
    if not any(is_active(profile) for profile in pom.elements("profiles/profile")):
        for activation, default in defaults:
            activation.append(default)
    _inject_profiles(model, pom)
