"""The month counts, by arithmetic alone."""

import pytest

from spark_jobs.volume import month_counts, total_rows
from xtable_audit.model.problem import Problem


def test_scale_one_is_the_published_audit() -> None:
    assert month_counts(1) == {"2023-01": 3_066_726, "2023-02": 2_914_003, "2023-03": 3_403_619, "2023-04": 85}


def test_scale_one_has_the_published_number_of_rows() -> None:
    assert total_rows(1) == 9_384_433


def test_a_hundredth_keeps_the_proportions() -> None:
    assert month_counts(0.01) == {"2023-01": 30_667, "2023-02": 29_140, "2023-03": 34_036, "2023-04": 85}


@pytest.mark.parametrize("scale", [1e-9, 0.001, 0.5, 2])
def test_strays_are_kept_at_every_scale(scale: float) -> None:
    assert month_counts(scale)["2023-04"] == 85


def test_no_month_is_ever_empty() -> None:
    assert min(month_counts(1e-9).values()) == 1


@pytest.mark.parametrize("scale", [0, -1, float("nan")])
def test_a_scale_that_is_not_positive_is_refused(scale: float) -> None:
    with pytest.raises(Problem, match="--scale must be a positive number"):
        month_counts(scale)
