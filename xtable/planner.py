"""Iceberg's own planner in Java, as it stands on XTable's class path: `TableScan.planFiles()` for many predicates."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError

from store.tables import Tables
from xtable.jvm import Jvm
from xtable.settings import hadoop_settings
from xtable_audit.model.malformed import first_line
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.model.problem import Problem
from xtable_audit.model.refused import Refused

_COMPARISONS = {
    "=": "equal",
    "<": "lessThan",
    "<=": "lessThanOrEqual",
    ">": "greaterThan",
    ">=": "greaterThanOrEqual",
}
_REFUSED_LITERAL = "ValidationException"
_FUNCTION = "java.util.function.Function"


def plan(
    jvm: Jvm, tables: Tables | None, metadata_location: str, predicates: Sequence[Predicate]
) -> list[frozenset[str] | None]:
    """Paths of the data files that each predicate keeps, of the table whose metadata.json is at `metadata_location`.

    None for a predicate that Iceberg cannot bind to the table's schema: a literal that the column's type cannot hold.
    Raises `Refused` if it cannot plan the table, and Problem if the JVM is gone. `tables` is None
    for tables on local disk.
    """
    try:
        plans, language = _planner(jvm, _opened(jvm, tables, metadata_location)), Language(jvm)
        return [_planned_files(plans, language.expression(predicate)) for predicate in predicates]
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


def _planned_files(plans: Any, expression: Any) -> frozenset[str] | None:
    try:
        paths = str(plans.apply(expression))
        return frozenset(paths.split("\n")) if paths else frozenset()
    except Py4JJavaError as error:
        if error.java_exception.getClass().getSimpleName() == _REFUSED_LITERAL:
            return None
        raise


def _planner(jvm: Jvm, table: Any) -> Any:
    """`String.join("\n", transform(table.newScan().filter(it).planFiles(), task -> task.file().path()))` of Java.

    Composed in Java, so that a predicate costs one call, not one for each step and file.
    """
    java = jvm.java
    iterable = "org.apache.iceberg.io.CloseableIterable"
    path = _in_turn(
        jvm,
        _method(jvm, "org.apache.iceberg.ContentScanTask", "file"),
        _method(jvm, "org.apache.iceberg.ContentFile", "path"),
    )
    to_path = java.java.util.List.of(_function(jvm, path)).toArray()
    to_paths = java.java.lang.invoke.MethodHandles.insertArguments(_method(jvm, iterable, "transform"), 1, to_path)
    steps = (
        _method(jvm, "org.apache.iceberg.TableScan", "filter", "Expression").bindTo(table.newScan()),
        _method(jvm, "org.apache.iceberg.TableScan", "planFiles"),
        to_paths,
        _method(jvm, "java.lang.String", "join", "java.lang.Iterable").bindTo("\n"),
    )
    return _function(jvm, _in_turn(jvm, *steps))


def _method(jvm: Jvm, owner: str, name: str, last: str = "") -> Any:
    """A handle on a public method; `last` is the type of its last parameter, if there are several of that name."""
    for method in jvm.java.java.lang.Class.forName(owner).getMethods():
        if method.getName() == name and not method.isBridge() and f"{last})" in method.toString():
            return jvm.java.java.lang.invoke.MethodHandles.publicLookup().unreflect(method)
    raise LookupError(f"{owner} has no method {name}")


def _in_turn(jvm: Jvm, first: Any, *others: Any) -> Any:
    """One handle for several, each taking what the one before it returns."""
    for other in others:
        taking = other.type().changeParameterType(0, first.type().returnType())
        first = jvm.java.java.lang.invoke.MethodHandles.filterReturnValue(first, other.asType(taking))
    return first


def _function(jvm: Jvm, handle: Any) -> Any:
    """A handle of one parameter as the interface that Iceberg's own libraries and Java's take functions by."""
    interface = jvm.java.java.lang.Class.forName(_FUNCTION)
    return jvm.java.java.lang.invoke.MethodHandleProxies.asInterfaceInstance(interface, handle)


class Language:
    """Predicates as Iceberg's Java writes them, with SQL's meaning of null (see `PyIcebergReader`)."""

    def __init__(self, jvm: Jvm) -> None:
        self._expressions = jvm.java.org.apache.iceberg.expressions.Expressions
        self._wrap = jvm.java.java.nio.ByteBuffer.wrap
        self._methods: dict[str, Any] = {}

    def expression(self, predicate: Predicate) -> Any:
        match predicate:
            case And(left, right):
                return self._write("and", self.expression(left), self.expression(right))
            case Or(left, right):
                return self._write("or", self.expression(left), self.expression(right))
            case Compare(column, "!=", value):
                return self._and_not_null(column, self._write("notEqual", column, self._literal(value)))
            case Compare(column, operator, value):
                return self._write(_COMPARISONS[operator], column, self._literal(value))
            case In(column, values, True):
                return self._and_not_null(column, self._write("notIn", column, self._literals(values)))
            case In(column, values):
                return self._write("in", column, self._literals(values))
            case IsNull(column, negated):
                return self._write("notNull" if negated else "isNull", column)
            case StartsWith(column, prefix):
                return self._write("startsWith", column, prefix)
        raise TypeError(f"no Iceberg expression in Java for a {type(predicate).__name__}")

    def _and_not_null(self, column: str, condition: Any) -> Any:
        return self._write("and", condition, self._write("notNull", column))

    def _write(self, word: str, *operands: Any) -> Any:
        """A call of `Expressions`; its methods are looked up once, because each look-up is a round trip to Java."""
        if word not in self._methods:
            self._methods[word] = getattr(self._expressions, word)
        return self._methods[word](*operands)

    def _literals(self, values: Sequence[Any]) -> list[Any]:
        return [self._literal(value) for value in values]

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
