"""Java's functions composed in Java, from Python: what is composed costs one call, however many steps it has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xtable.jvm import Jvm

_INTERFACES = ("java.util.function.Function", "java.util.function.BiFunction")
"""By number of operands: what Java's own libraries and Iceberg's take functions by."""


class MethodHandles:
    """Makes and composes `java.lang.invoke.MethodHandle`s in one JVM."""

    def __init__(self, jvm: Jvm) -> None:
        self._jvm = jvm
        self._java = jvm.java.java.lang.invoke.MethodHandles
        self._proxies = jvm.java.java.lang.invoke.MethodHandleProxies
        self._lookup = self._java.publicLookup()

    def method(self, owner: str, name: str, *takes: str) -> Any:
        """A handle on the public method of that name whose parameters have these types."""
        method = self._class(owner).getMethod(name, self._jvm.array("java.lang.Class", [*map(self._class, takes)]))
        return self._lookup.unreflect(method)

    def in_turn(self, first: Any, *others: Any) -> Any:
        """One handle for several, each taking what the one before it returns."""
        for other in others:
            taking = other.type().changeParameterType(0, first.type().returnType())
            first = self._java.filterReturnValue(first, other.asType(taking))
        return first

    def with_parameter(self, handle: Any, place: int, maker: Any) -> Any:
        """The handle, with the operands of `maker` in place of one parameter, which `maker` returns."""
        made = maker.type().changeReturnType(handle.type().parameterType(place))
        return self._java.collectArguments(handle, place, maker.asType(made))

    def with_operands(self, handle: Any, place: int, operands: Sequence[Any]) -> Any:
        """The handle with these operands from that place on."""
        return self._java.insertArguments(handle, place, self._jvm.array("java.lang.Object", operands))

    def function(self, handle: Any) -> Any:
        """A handle of one or two parameters as an object whose `apply` takes them."""
        interface = self._class(_INTERFACES[handle.type().parameterCount() - 1])
        return self._proxies.asInterfaceInstance(interface, handle)

    def _class(self, name: str) -> Any:
        return self._jvm.java.java.lang.Class.forName(name)
