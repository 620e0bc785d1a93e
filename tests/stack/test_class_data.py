"""Sessions of Spark map the archive of its classes where there is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.stack import class_data
from lab.stack import spark as stack_spark
from lab.stack.cache import Cache
from lab.stack.java import find_java
from lab.stack.versions import stack
from xtable_audit.model.problem import Problem


@pytest.mark.spark
@pytest.mark.slow
def test_a_session_maps_the_archive(tmp_path: Path) -> None:
    java_home = find_java(stack().java)
    archive = class_data.make(java_home)
    settings = stack_spark.settings("1g", str(tmp_path))
    del settings["spark.kryo.registrator"]
    spark = stack_spark.start("classes", (), java_home, 1, settings)
    try:
        jvm = spark._jvm
        assert jvm is not None
        mapped = Path(f"/proc/{jvm.java.lang.ProcessHandle.current().pid()}/maps").read_text()
    finally:
        stack_spark.stop(spark)
    assert str(archive) in mapped


def test_a_session_starts_without_one_where_none_was_made(tmp_path: Path) -> None:
    assert class_data.options(find_java(stack().java), Cache(tmp_path)) == []


def test_a_java_that_makes_none_is_named_with_its_words(tmp_path: Path) -> None:
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\necho 'no archives here' >&2\nexit 1\n")
    java.chmod(0o755)
    with pytest.raises(Problem, match=r"The Java of .*/java makes no archive of Spark's classes: .+"):
        class_data.make(tmp_path / "java", Cache(tmp_path / "cache"))
    assert class_data.options(tmp_path / "java", Cache(tmp_path / "cache")) == []
