"""A run over Hudi's own tables: its exit status, its register, its report."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from lab.provision.hudi.lab import KIND as ANSWERS
from lab.stack.cache import cache_root
from tests.run.conftest import ROOT, Audit, Ran
from xtable_audit.report.document import Document

SUITE = "suites/hudi_skipping"
BYTES = (SUITE, "-k", "skip_bytes and question_is_answered")


@pytest.fixture(scope="module")
def shipped(audit: Audit) -> Ran:
    """The published table at one release."""
    return audit(SUITE, "-k", "ship_ and hudi1.2.0", "-v")


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
