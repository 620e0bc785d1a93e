"""Iceberg's own planner in Java, as it stands on XTable's class path: `TableScan.planFiles()` for many predicates."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cache, lru_cache, partial
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError

from lab.store.tables import Tables
from xtable.jvm import Jvm
from xtable.settings import hadoop_settings
from xtable_audit.model.malformed import first_line
from xtable_audit.model.planner import Refused
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.model.problem import Problem

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


_COMPARISONS = {"=": "equal", "<": "lessThan", "<=": "lessThanOrEqual", ">": "greaterThan", ">=": "greaterThanOrEqual"}
_REFUSED_LITERAL = "ValidationException"
_EXPRESSION = "org.apache.iceberg.expressions.Expression"
_ITERABLE = "org.apache.iceberg.io.CloseableIterable"
_COMPARED = ("java.lang.String", "java.lang.Object")
_OPERANDS = {
    "and": (_EXPRESSION, _EXPRESSION),
    "or": (_EXPRESSION, _EXPRESSION),
    "in": ("java.lang.String", "java.lang.Iterable"),
    "isNull": ("java.lang.String",),
    "notNull": ("java.lang.String",),
    "startsWith": ("java.lang.String", "java.lang.String"),
}
"""What the methods of `Expressions` take, where it is not a column and a literal."""
_LISTED = 10
"""`List.of` takes as many without an array; a list of Python's costs a call for each item."""


def plan(
    jvm: Jvm, tables: Tables | None, metadata_location: str, predicates: Sequence[Predicate]
) -> list[frozenset[str] | None]:
    """Paths of the data files that each predicate keeps, of the table whose metadata.json is at `metadata_location`.

    None for a predicate that Iceberg cannot bind to the table's schema: a literal that the column's type cannot hold.
    Raises `Refused` if it cannot plan the table, and Problem if the JVM is gone. `tables` is None
    for tables on local disk.
    """
    try:
        scan, in_java = _opened(jvm, tables, metadata_location).newScan(), _plan_files_in(jvm)
        bound = cache(partial(in_java.bound_to, scan))
        return [_kept(bound, *in_java.language.call(predicate)) for predicate in predicates]
    except Py4JJavaError as error:
        raise Refused(first_line(RuntimeError(error.java_exception.toString()))) from error
    except Py4JError as error:
        if jvm.alive:
            raise
        raise Problem("XTable's JVM died while Iceberg's Java planner ran in it; run the audit again.") from error


def _opened(jvm: Jvm, tables: Tables | None, metadata_location: str) -> Any:
    """The table, read-only; each manifest is fetched once and kept for the predicates to come."""
    java = jvm.java
    configuration = java.org.apache.hadoop.conf.Configuration()
    for setting, value in hadoop_settings(tables).items():
        configuration.set(setting, value)
    iceberg = java.org.apache.iceberg
    files = iceberg.hadoop.HadoopFileIO(configuration)
    files.initialize({"io.manifest.cache-enabled": "true"})
    return iceberg.BaseTable(iceberg.StaticTableOperations(metadata_location, files), metadata_location)


def _kept(bound: Callable[[str], Any], method: str, *operands: Any) -> frozenset[str] | None:
    try:
        paths = str(bound(method).apply(*operands))
        return frozenset(paths.split("\n")) if paths else frozenset()
    except Py4JJavaError as error:
        if error.java_exception.getClass().getSimpleName() == _REFUSED_LITERAL:
            return None
        raise


class PlanFiles:
    """Iceberg's planner in one JVM: a function for each method of `Expressions`, of `equal` for example

    `String.join("\n", transform(scan.filter(equal(column, literal)).planFiles(), task -> task.file().path()))`

    Composed in Java, so that a predicate costs one call, not one for each step and file; composed once for all tables,
    since that takes some two hundred calls.
    """

    def __init__(self, jvm: Jvm) -> None:
        self.language = Language(jvm)
        self._java = java = MethodHandles(jvm)
        path = java.in_turn(
            java.method("org.apache.iceberg.ContentScanTask", "file"),
            java.method("org.apache.iceberg.ContentFile", "path"),
        )
        transform = java.method(_ITERABLE, "transform", _ITERABLE, "java.util.function.Function")
        join = java.method("java.lang.String", "join", "java.lang.CharSequence", "java.lang.Iterable")
        self._filter = java.method("org.apache.iceberg.TableScan", "filter", _EXPRESSION)
        self._planned = (
            java.method("org.apache.iceberg.TableScan", "planFiles"),
            java.with_operands(transform, 1, [java.function(path)]),
            join.bindTo("\n"),
        )
        self._of_method = cache(self._composed)

    def bound_to(self, scan: Any, method: str) -> Any:
        """The function of the scan: its `apply` takes the operands of that method of `Expressions`."""
        return self._java.function(self._of_method(method).bindTo(scan))

    def _composed(self, method: str) -> Any:
        """A handle that takes a scan, and the operands of that method."""
        expression = self._java.method(f"{_EXPRESSION}s", method, *_OPERANDS.get(method, _COMPARED))
        return self._java.in_turn(self._java.with_parameter(self._filter, 1, expression), *self._planned)


_plan_files_in = lru_cache(maxsize=8)(PlanFiles)


class Language:
    """Predicates as Iceberg's Java writes them, with SQL's meaning of null (see `PyIcebergReader`)."""

    def __init__(self, jvm: Jvm) -> None:
        self._expressions = jvm.java.org.apache.iceberg.expressions.Expressions
        self._wrap = jvm.java.java.nio.ByteBuffer.wrap
        self._list = jvm.java.java.util.List.of
        self._methods: dict[str, Any] = {}

    def call(self, predicate: Predicate) -> tuple[Any, ...]:
        """The method of `Expressions` that makes the predicate, and its operands."""
        match predicate:
            case And(left, right):
                return "and", self._expression(left), self._expression(right)
            case Or(left, right):
                return "or", self._expression(left), self._expression(right)
            case Compare(column, "!=", value):
                return self._and_not_null(column, self._write("notEqual", column, self._literal(value)))
            case Compare(column, operator, value):
                return _COMPARISONS[operator], column, self._literal(value)
            case In(column, values, True):
                return self._and_not_null(column, self._write("notIn", column, self._literals(values)))
            case In(column, values):
                return "in", column, self._literals(values)
            case IsNull(column, negated):
                return "notNull" if negated else "isNull", column
            case StartsWith(column, prefix):
                return "startsWith", column, prefix
        raise TypeError(f"no Iceberg expression in Java for a {type(predicate).__name__}")

    def _expression(self, predicate: Predicate) -> Any:
        return self._write(*self.call(predicate))

    def _and_not_null(self, column: str, condition: Any) -> tuple[Any, ...]:
        return "and", condition, self._write("notNull", column)

    def _write(self, word: str, *operands: Any) -> Any:
        """A call of `Expressions`; its methods are looked up once, because each look-up is a round trip to Java."""
        if word not in self._methods:
            self._methods[word] = getattr(self._expressions, word)
        return self._methods[word](*operands)

    def _literals(self, values: Sequence[Any]) -> Any:
        return self._list(*map(self._literal, values)) if len(values) <= _LISTED else [*map(self._literal, values)]

    def _literal(self, value: Any) -> Any:
        """A value as `Literal` takes it: dates, times and decimals as words, read by the type of the column."""
        match value:
            case bytes():
                return self._wrap(value)
            case dt.date() | dt.time():  # a datetime is a date
                return value.isoformat()
            case Decimal():
                return f"{value:f}"
        return value
