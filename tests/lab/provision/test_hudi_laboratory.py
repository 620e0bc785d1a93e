"""The laboratory of Hudi's own reader: its tables are kept whole, its answers are asked for, recorded and judged."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
import pytest

from lab.provision.hudi.kept_table import CASE, digest_of, keep, kept, record, recorded
from lab.provision.hudi.laboratory import KIND as ANSWERS
from lab.provision.hudi.trials import HudiQuery, TableLocation, live_files, run_trials
from lab.provision.plan import Plan
from lab.stack.cache import Cache, cache_root
from lab.subjects.hudi_tables import HudiSpec, hudi_specs
from tests.of_each import of_each
from tests.whole_runs.run import ROOT, Audit, Ran
from tests.xtable_audit.formats.hudi import healthy
from xtable_audit.formats.hudi.claims import layers
from xtable_audit.formats.hudi.claims.deviation import HudiClaim
from xtable_audit.formats.hudi.indexed_table import HudiCase, HudiStage
from xtable_audit.model.predicate import Compare, Predicate
from xtable_audit.model.problem import Problem
from xtable_audit.readers.reader import Answer, Layers
from xtable_audit.report.document import Document

VERSIONS = {"hudi": "1.0.2"}
NY = Compare("state", "=", "NY")
FILES = frozenset({"file:/lake/ship/state=NY/a.parquet", "file:/lake/ship/state=CA/b.parquet"})
LAYERS = Layers(2, 1, 1, ("state=NY",))
SUITE = "suites/hudi_skipping"
BYTES = (SUITE, "-k", "skip_bytes and question_is_answered")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    keep(tmp_path, healthy.case(), "of this", VERSIONS)
    return tmp_path


@pytest.fixture
def back(folder: Path) -> HudiCase:
    return kept(folder, "live").case


@dataclass
class Fake:
    """A reader that gives one answer to every question."""

    answer: Answer | Exception
    name: str = "hudi"
    version: str = "1.0.2"
    locations: list[str] = field(default_factory=list)

    def query(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        self.locations.append(metadata_location)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture(scope="module")
def shipped(audit: Audit) -> Ran:
    """The published table at one release."""
    return audit(SUITE, "-k", "ship_ and hudi1.2.0", "-v")


# Hudi's tables are kept whole, or not taken for kept.


def test_trials_come_back_as_they_were(back: HudiCase) -> None:
    assert back.trials == healthy.case().trials


def comparable(stage: HudiStage, part: str) -> object:
    """A table as text: a NaN in it equals no other."""
    value = getattr(stage, part)
    return (str(value.schema), repr(value.to_pylist())) if isinstance(value, pa.Table) else value


@pytest.mark.parametrize("part", ["words", "indexed", "empty", "beside", "values", "index"])
def test_stages_come_back_as_they_were(back: HudiCase, part: str) -> None:
    assert [comparable(stage, part) for stage in back.stages] == [
        comparable(stage, part) for stage in healthy.case().stages
    ]


def test_versions_come_back_as_they_were(folder: Path) -> None:
    assert kept(folder, "recorded").versions == VERSIONS


@pytest.mark.parametrize("file", [CASE, "1.values.parquet", "2.index.parquet"])
@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(path.read_bytes()[:40])])
def test_half_a_case_is_refused(folder: Path, file: str, damage) -> None:  # type: ignore[no-untyped-def]
    damage(folder / file)
    with pytest.raises(Problem, match=r"does not hold a complete Hudi table .*: delete it and run again"):
        kept(folder, "live")


def test_a_recording_comes_back(tmp_path: Path) -> None:
    tables, archives = tmp_path / "tables", tmp_path / "archives"
    (tables / "skip_x-hudi1.0.2").mkdir(parents=True)
    keep(tables / "skip_x-hudi1.0.2", healthy.case(), "of this", VERSIONS)
    record("1.0.2", tables, archives)
    found = recorded("skip_x-hudi1.0.2", "1.0.2", Cache(tmp_path / "cache"), archives)
    assert kept(found, "recorded").case.trials == healthy.case().trials


def test_a_table_that_was_never_recorded_is_reported(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    record("1.0.2", tmp_path / "tables", tmp_path / "archives")
    with pytest.raises(Problem, match=r"There is no recording of skip_x-hudi1.0.2: `make record` makes one."):
        recorded("skip_x-hudi1.0.2", "1.0.2", Cache(tmp_path / "cache"), tmp_path / "archives")


# The recorded answers of Hudi's own reader are of the tables, releases and questions that are there today.


@of_each("spec", hudi_specs(), ids=lambda spec: str(spec.id))
def test_the_recording_is_of_todays_table_and_questions(spec: HudiSpec) -> None:
    """Else `python -m lab.recording --hudi` has to make it anew."""
    found = kept(recorded(str(spec.id), spec.release, Cache()), "recorded")
    assert found.subject == digest_of(spec, Plan().shipping)


@pytest.mark.parametrize(
    ("claim", "spoilt"),
    [
        (layers.partition_statistics_leave_the_partitions_that_could_match, {"partitions": ("state=CA", "state=NY")}),
        (layers.column_statistics_leave_the_files_that_could_match, {"after_column_statistics": 2}),
    ],
    ids=["a partition too many", "a file too many"],
)
def test_a_layer_of_the_published_table_that_leaves_too_much_is_reported(
    claim: HudiClaim, spoilt: dict[str, Any]
) -> None:
    """Its index is not read, and its layers are held to its values all the same."""
    case = kept(recorded("ship_sorted-hudi1.2.0", "1.2.0", Cache()), "recorded").case
    trials = tuple(replace(trial, **spoilt) if trial.mode == "on" else trial for trial in case.trials)
    assert (claim.deviations(case), len(claim.deviations(replace(case, trials=trials)))) == ([], 1)


# Hudi's own reader is queried, and its answers become the judge's types.


def test_live_files_are_named_below_the_table() -> None:
    reader = Fake(Answer(4, FILES, 2))
    assert live_files(reader, "/lake/ship") == {"state=NY/a.parquet", "state=CA/b.parquet"}


def test_live_files_are_listed_without_any_index() -> None:
    reader = Fake(Answer(4, FILES, 2))
    live_files(reader, "/lake/ship")
    assert reader.locations == ["/lake/ship#unlisted"]


@pytest.mark.parametrize(
    "answer", [RuntimeError("no such table"), Answer(4, unknown_plan="no such table")], ids=["refused", "not reported"]
)
def test_a_table_that_cannot_be_listed_is_a_problem(answer: Answer | Exception) -> None:
    with pytest.raises(Problem, match=r"Hudi's own reader cannot list /lake/ship: .*no such table"):
        live_files(Fake(answer), "/lake/ship")


def test_each_question_runs_in_its_mode() -> None:
    reader = Fake(Answer(1, FILES, 2))
    run_trials(reader, TableLocation("/lake/ship", {}), [HudiQuery("off", NY), HudiQuery("on", NY)])
    assert reader.locations == ["/lake/ship#off", "/lake/ship#on"]


def test_layers_are_reported() -> None:
    [trial] = run_trials(Fake(Answer(1, FILES, layers=LAYERS)), TableLocation("/lake/ship", {}), [HudiQuery("on", NY)])
    counts = (trial.live, trial.after_partition_statistics, trial.after_column_statistics, trial.partitions)
    assert counts == (2, 1, 1, ("state=NY",))


def test_a_refusal_is_reported_in_its_own_words() -> None:
    [trial] = run_trials(Fake(RuntimeError("index failed")), TableLocation("/lake/ship", {}), [HudiQuery("on", NY)])
    assert (trial.rows, trial.planned) == (None, None)
    assert "index failed" in str(trial.error)


def test_files_in_the_store_are_named_below_the_table() -> None:
    planned = frozenset({"s3a://lake/hudi/ship/state=NY/a.parquet"})
    [trial] = run_trials(Fake(Answer(1, planned, 2)), TableLocation("s3://lake/hudi/ship", {}), [HudiQuery("on", NY)])
    assert trial.planned == frozenset({"state=NY/a.parquet"})


# A run over Hudi's own tables: its exit status, its register, its report.


def test_the_published_table_conforms(shipped: Ran) -> None:
    assert (shipped.status, shipped.document["verdict"]) == (0, "CONFORMANT"), shipped.text


def test_layers_are_in_the_report(shipped: Ran) -> None:
    by_table = {(row["table"], row["asked"]): row for row in shipped.document["layers"]}
    on = by_table["ship_sorted-hudi1.2.0", "on"]
    layers = (on["live"], on["after_partition_statistics"], on["after_column_statistics"], on["matching"])
    assert layers == (983, 48, 1, 1)


def test_the_report_keeps_its_schema(shipped: Ran) -> None:
    schema = json.loads((ROOT / "audit.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(shipped.document)


def test_layers_are_read_back_as_they_were_written(shipped: Ran) -> None:
    document = Document.load(shipped.folder / "audit.json")
    assert document.layers
    assert Document.from_json(document.to_json()) == document


def test_the_layers_fit_a_hundred_columns(shipped: Ran) -> None:
    card = shipped.text[shipped.text.index("WHERE") :]
    assert max(map(len, card.splitlines())) <= 100, card


def test_an_entry_of_hudis_holds_by_the_tables_own_release(audit: Audit) -> None:
    """1.2.0 cannot be queried by a binary column; 1.0.2 can, and the same entry is not in force there."""
    outcomes = audit(*BYTES).outcomes()
    by_release = {test.rpartition("-hudi")[2].rstrip("]"): outcome for test, outcome in outcomes.items()}
    assert by_release == {"1.0.2": "held", "1.2.0": "known"}


def test_hudi_runs_again_on_request_and_answers_as_recorded(audit: Audit) -> None:
    """On the smallest table: two questions of seventeen lose rows (XTF-044). What it answers is cached."""
    chosen = (SUITE, "-k", "skip_prefix-hudi1.2.0")
    live = audit(*chosen, "--hudi=live", "--xtable=recorded", recorded=False)
    assert live.outcomes() == audit(*chosen).outcomes(), live.text
    assert any((cache_root() / ANSWERS).iterdir())


def test_without_a_register_a_loss_is_a_finding(audit: Audit, tmp_path: Path) -> None:
    empty = tmp_path / "findings.toml"
    empty.write_text("")
    ran = audit(SUITE, "-k", "skip_prefix-hudi1.2.0 and row_is_lost_by", f"--findings={empty}")
    assert (ran.status, "0 found by Hudi" in ran.text) == (1, True), ran.text


@pytest.mark.parametrize("files", ["51", "400000"])
def test_an_impossible_size_is_refused(audit: Audit, files: str) -> None:
    ran = audit(SUITE, "-k", "ship_random", "--shipping", files)
    assert (ran.status, "give a number of files from 52 to 393360" in ran.text) == (4, True), ran.text
