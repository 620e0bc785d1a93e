"""What goes over the wire to Firebolt, and what comes of its answers; a stub answers: no evidence about Firebolt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.engines.firebolt.engine import FireboltEngine
from lab.engines.firebolt.reader import FireboltReader
from lab.engines.readers import open_reader
from lab.servers.child import free_port
from lab.store.address import Workspace
from tests.lab.engines.firebolt_stub import NOT_READY, Reply, Stub, refused, running, table
from xtable_audit.model.predicate import Compare
from xtable_audit.model.problem import Problem
from xtable_audit.readers.reader import Answer, Refusal

PLANS = json.loads(Path(__file__).with_name("firebolt_plans.json").read_text(encoding="utf-8"))
PLAN = json.dumps(PLANS["four_of_four"])
STORE = Workspace("http://127.0.0.1:9", "reader-firebolt", "se'cret")
LOCATION = "s3://bucket/it's/metadata/v1.metadata.json"
SOURCE = (
    "READ_ICEBERG(URL => 's3://bucket/it''s/metadata/v1.metadata.json', "
    "AWS_ACCESS_KEY_ID => 'reader-firebolt', AWS_SECRET_ACCESS_KEY => 'se''cret')"
)
MARCH = Compare("pickup_month", "=", "2023-03")
QUERY = f"""SELECT count(*), max(city_hash("fare")) FROM {SOURCE} WHERE "pickup_month" = '2023-03'"""
COLUMNS = {"pickup_month": "text null", "fare": "double precision null", "stops": "array(double)", "id": "bigint"}


@pytest.fixture
def stub() -> Iterator[Stub]:
    with running() as started:
        started.replies |= {
            "SELECT * FROM READ_ICEBERG": table(COLUMNS),
            "SELECT count(*)": table({"count": "bigint", "max": "bigint null"}, ["3403619", "77"]),
            "EXPLAIN (ANALYZE, FORMAT JSON)": table({"QUERY PLAN": "text"}, [PLAN]),
        }
        yield started


@pytest.fixture
def reader(stub: Stub) -> Iterator[FireboltReader]:
    read = FireboltReader(STORE, FireboltEngine(url=stub.url))
    stub.requests.clear()
    yield read
    read.close()


def test_rows_and_plan_are_reported(reader: FireboltReader) -> None:
    assert reader.query(LOCATION, MARCH) == Answer(3403619, live=4, planned_count=4, scanned=9384433)


def test_the_version_is_the_engines_own(reader: FireboltReader) -> None:
    assert reader.version == "5.0.0-stub"


def test_the_same_query_is_counted_and_explained_after_the_files_are_forgotten(
    reader: FireboltReader, stub: Stub
) -> None:
    reader.query(LOCATION, MARCH)
    assert stub.statements == [
        "CLEAR EXTERNAL DATA CACHE",
        f"SELECT * FROM {SOURCE} LIMIT 0",
        QUERY,
        f"EXPLAIN (ANALYZE, FORMAT JSON) {QUERY}",
    ]


def test_both_result_caches_are_off_for_every_statement(reader: FireboltReader, stub: Stub) -> None:
    reader.query(LOCATION, MARCH)
    caches = {(one.settings["enable_result_cache"], one.settings["enable_subresult_cache"]) for one in stub.requests}
    assert caches == {("false", "false")}


def test_core_is_queried_without_authorization(reader: FireboltReader, stub: Stub) -> None:
    reader.query(LOCATION, None)
    assert not any("authorization" in map(str.lower, one.headers) for one in stub.requests)


def test_without_a_predicate_there_is_no_where(reader: FireboltReader, stub: Stub) -> None:
    reader.query(LOCATION, None)
    assert f'SELECT count(*), max(city_hash("fare")) FROM {SOURCE}' in stub.statements


def test_a_session_token_goes_with_the_key(stub: Stub) -> None:
    reader = FireboltReader(Workspace(None, "key", "secret", session_token="token"), FireboltEngine(url=stub.url))
    reader.query(LOCATION, None)
    reader.close()
    assert "AWS_SECRET_ACCESS_KEY => 'secret', AWS_SESSION_TOKEN => 'token'" in stub.statements[-1]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (table({"QUERY PLAN": "text"}, ["[Aggregate]"]), "it is not JSON"),
        (
            table({"QUERY PLAN": "text"}, [PLAN.replace("3403619", "3403618")]),
            "it returns 3403618 rows where the query",
        ),
        (refused("no EXPLAIN here"), "it refuses to explain: no EXPLAIN here"),
    ],
    ids=["no JSON", "another count", "refused"],
)
def test_a_plan_that_is_not_understood_leaves_the_rows_and_says_why(
    reader: FireboltReader, stub: Stub, reply: Reply, words: str
) -> None:
    stub.replies["EXPLAIN"] = reply
    stub.replies.pop("EXPLAIN (ANALYZE, FORMAT JSON)")
    answer = reader.query(LOCATION, MARCH)
    assert (answer.rows, answer.live, answer.planned_count, answer.scanned) == (3403619, None, None, None)
    assert str(answer.unknown_plan).startswith(f"Firebolt 5.0.0-stub gave a plan that is not understood: {words}")


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (refused("Exception: Value too large."), "Exception: Value too large."),
        (Reply("\n  Unsupported format version 3\nat 7", 500, "text/plain"), "Unsupported format version 3"),
        (Reply("bad se'cret", 400, "text/plain"), "bad ****"),
        (Reply("bad se''cret", 400, "text/plain"), "bad ****"),
    ],
    ids=["structured", "500", "secret", "quoted secret"],
)
def test_what_the_engine_says_of_a_table_goes_through(
    reader: FireboltReader, stub: Stub, reply: Reply, words: str
) -> None:
    stub.replies["SELECT count(*)"] = reply
    with pytest.raises(Refusal) as caught:
        reader.query(LOCATION, MARCH)
    assert str(caught.value) == words


@pytest.mark.parametrize(
    "reply",
    [NOT_READY, Reply("<html>", 502, "text/html"), refused("Cluster not yet healthy", 200)],
    ids=["503", "502", "structured"],
)
def test_an_engine_that_answers_nothing_is_no_refusal_of_the_table(
    reader: FireboltReader, stub: Stub, reply: Reply
) -> None:
    stub.replies |= {"SELECT count(*)": reply, "SELECT 1": reply}
    with pytest.raises(Problem, match=rf"^Firebolt at {stub.url} does not answer: "):
        reader.query(LOCATION, MARCH)


def test_an_engine_that_is_gone_is_a_problem() -> None:
    with running() as stub:
        reader = FireboltReader(STORE, FireboltEngine(url=stub.url))
    with pytest.raises(Problem, match=rf"^Firebolt at {stub.url} is gone: "):
        reader.query(LOCATION, MARCH)
    reader.close()


def test_an_engine_that_never_answers_is_a_problem(
    reader: FireboltReader, stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lab.engines.firebolt.reader.PATIENCE", 0.0)
    with pytest.raises(Problem, match=rf"^Firebolt at {stub.url} is gone: Query execution timed out"):
        reader.query(LOCATION, MARCH)


def test_a_cache_that_cannot_be_cleared_is_a_problem(reader: FireboltReader, stub: Stub) -> None:
    stub.replies["CLEAR"] = refused("syntax error")
    stub.replies.pop("CLEAR EXTERNAL DATA CACHE")
    with pytest.raises(Problem, match="does not let its cache of data files be cleared: syntax error"):
        reader.query(LOCATION, MARCH)


def test_nobody_listening_is_a_problem_at_once() -> None:
    with pytest.raises(Problem, match=r"does not answer `SET enable_result_cache=false`: .*refused"):
        FireboltReader(STORE, FireboltEngine(url=f"http://127.0.0.1:{free_port()}"))


def test_a_setting_the_engine_does_not_know_is_a_problem(stub: Stub) -> None:
    stub.replies["SELECT 1"] = refused("unknown setting enable_result_cache")
    with pytest.raises(Problem, match=r"does not answer `SET enable_result_cache=false`: .*unknown setting"):
        FireboltReader(STORE, FireboltEngine(url=stub.url))


def test_without_an_engine_there_is_no_reader() -> None:
    with pytest.raises(Problem, match="reader firebolt needs an engine, and none was read"):
        FireboltReader(STORE)


def test_questions_about_the_same_metadata_query_its_columns_once(reader: FireboltReader, stub: Stub) -> None:
    reader.query(LOCATION, MARCH)
    reader.query(LOCATION, None)
    assert [sql.split()[0] for sql in stub.statements] == [
        *("CLEAR", "SELECT", "SELECT", "EXPLAIN"),
        *("CLEAR", "SELECT", "EXPLAIN"),
    ]


def test_in_a_process_of_its_own_it_answers_and_then_misses_its_engine() -> None:
    with running() as stub:
        stub.replies |= {
            "SELECT * FROM READ_ICEBERG": table(COLUMNS),
            "SELECT count(*)": table({"count": "bigint", "max": "bigint null"}, ["12", "77"]),
            "EXPLAIN": table({"QUERY PLAN": "text"}, ["?"]),
        }
        reader = open_reader("firebolt", STORE, FireboltEngine(url=stub.url))
        answer = reader.query(LOCATION, MARCH)
    assert (answer.rows, answer.unknown_plan) == (
        12,
        "Firebolt 5.0.0-stub gave a plan that is not understood: it is not JSON",
    )
    with pytest.raises(Problem, match="is gone"):
        reader.query(LOCATION, MARCH)
    reader.close()
