"""One test of many cases: what is held of every entry of the register, page, field, predicate or table.

A case is a subtest. It fails by its own name and stops no other one, and is no test id of its own: such a list grows
with the register or the battery, and the claim about it stays one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pytest

Test = Callable[..., None]


def of_each(
    names: str | Sequence[str], cases: Iterable[Any], ids: Callable[[Any], object] | Iterable[str] = str
) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`: names of parameters, the cases and what they are called.

    The test's fixtures serve all cases, so none may be one that a case changes. Raises ValueError without cases.
    """
    every = (names,) if isinstance(names, str) else tuple(names)
    labelled = [*_labelled(every, list(cases), ids)]
    if not labelled:
        raise ValueError(f"no case of {', '.join(every)}")

    def made(test: Test) -> Test:
        def whole(subtests: pytest.Subtests, **fixtures: Any) -> None:
            for label, values in labelled:
                with subtests.test(label):
                    test(**dict(zip(every, values, strict=True)), **fixtures)

        whole.__name__, whole.__doc__, whole.__module__ = test.__name__, test.__doc__, test.__module__
        whole.__dict__.update(test.__dict__)  # marks
        asked = [one for name, one in inspect.signature(test).parameters.items() if name not in every]
        own = inspect.Parameter("subtests", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        whole.__signature__ = inspect.Signature([own, *asked])  # type: ignore[attr-defined]
        return whole

    return made


def _labelled(
    names: Sequence[str], cases: Sequence[Any], ids: Callable[[Any], object] | Iterable[str]
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    labels = [str(ids(case)) for case in cases] if callable(ids) else [*ids]
    for label, case in zip(labels, cases, strict=True):
        yield label, (case,) if len(names) == 1 else tuple(case)
