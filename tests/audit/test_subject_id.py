"""The one rule of subjects' ids."""

from __future__ import annotations

import pytest

from lab.provision.catalogue import Catalogue
from lab.provision.plan import Plan
from xtable_audit.model.subject_id import SubjectId

CASES = {
    "native_iceberg": SubjectId("native_iceberg"),
    "good_layout-control": SubjectId("good_layout", "control"),
    "native_delta": SubjectId("native_delta"),
    "good_layout-delta_by_control": SubjectId("good_layout", "delta_by_control"),
    "skip_types-hudi1.1.0-rc1": SubjectId("skip_types", "hudi1.1.0-rc1"),
}


@pytest.mark.parametrize(("id", "subject"), CASES.items(), ids=CASES)
def test_an_id_is_read_as_it_is_written(id: str, subject: SubjectId) -> None:
    assert (SubjectId.parse(id), str(subject)) == (subject, id)


def test_every_tables_id_is_one() -> None:
    assert not [id for id in Catalogue(Plan()) if str(SubjectId.parse(id)) != id]


@pytest.mark.parametrize(
    ("id", "target"),
    [
        ("good_layout-xtable", "iceberg"),
        ("native_iceberg", "iceberg"),
        ("good_layout-delta_by_kernel", "delta"),
        ("good_layout-delta_by_control", "delta"),
        ("native_delta", "delta"),
        ("native_delta-xtable", "iceberg"),
        ("delta_by_date-xtable", "iceberg"),
    ],
)
def test_an_id_names_another_target_than_iceberg(id: str, target: str) -> None:
    assert SubjectId.parse(id).target == target


@pytest.mark.parametrize(
    ("id", "by_control"),
    [
        ("good_layout-control", True),
        ("good_layout-delta_by_control", True),
        ("good_layout-xtable", False),
        ("good_layout-delta_by_kernel", False),
        ("native_iceberg", False),
        ("control", False),
    ],
)
def test_an_id_tells_the_control_by_its_writer(id: str, by_control: bool) -> None:
    assert SubjectId.parse(id).is_control is by_control


def test_a_dataset_with_a_dash_is_refused() -> None:
    with pytest.raises(ValueError, match="has a dash"):
        SubjectId("good-layout", "xtable")
