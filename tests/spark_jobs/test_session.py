"""A session in this process leaves nothing of itself behind."""

from __future__ import annotations

from pathlib import Path

import py4j.java_gateway
import py4j.protocol
import pytest

from spark_jobs import session

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def test_errors_of_other_jvms_are_py4js_own_after_a_session(jars: tuple[Path, ...], java_home: Path) -> None:
    with session.opened("tests", jars, java_home, None, cores=1, memory="1g"):
        assert py4j.java_gateway.get_return_value is not py4j.protocol.get_return_value
    assert py4j.java_gateway.get_return_value is py4j.protocol.get_return_value


def test_one_session_may_follow_another(jars: tuple[Path, ...], java_home: Path) -> None:
    for _ in range(2):
        with session.opened("tests", jars, java_home, None, cores=1, memory="1g") as spark:
            assert spark.range(3).count() == 3


def test_a_second_session_beside_an_open_one_is_refused(jars: tuple[Path, ...], java_home: Path) -> None:
    with (
        session.opened("tests", jars, java_home, None, cores=1, memory="1g"),
        pytest.raises(RuntimeError, match="this process has one open"),
        session.opened("second", jars, java_home, None, cores=1, memory="1g"),
    ):
        pytest.fail("the second session was opened")
