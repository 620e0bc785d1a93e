"""The place of a table, and the store's words where there is none."""

from pathlib import Path

import pytest

from spark_jobs.place import demand_empty_folder, store_message
from xtable_audit.model.problem import Problem


def test_a_folder_is_made(tmp_path: Path) -> None:
    demand_empty_folder((tmp_path / "a b" / "c").as_uri())
    assert (tmp_path / "a b" / "c").is_dir()


def test_a_folder_that_holds_something_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    with pytest.raises(Problem, match="is not empty: name an empty place"):
        demand_empty_folder(tmp_path.as_uri())


def test_a_file_in_the_way_is_reported(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    with pytest.raises(Problem, match="cannot be used: Not a directory"):
        demand_empty_folder((tmp_path / "x" / "y").as_uri())


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            (
                "getFileStatus on s3://b/x: com.amazonaws.services.s3.model.AmazonS3Exception: The specified "
                "bucket does not exist (Service: Amazon S3; Status Code: 404; Proxy: null), S3 Extended …"
            ),
            "The specified bucket does not exist",
        ),
        (
            (
                "on s3://b/x: com.amazonaws.SdkClientException: Unable to execute HTTP request: Connect to [h] failed: "
                "Connection refused: Unable to execute HTTP request: Connect to [h] failed: Connection refused"
            ),
            "Unable to execute HTTP request: Connect to [h] failed: Connection refused",
        ),
        ("Permission denied.\nmore", "Permission denied"),
    ],
)
def test_of_hadoops_message_the_stores_own_is_reported(message: str, words: str) -> None:
    assert store_message(message) == words
