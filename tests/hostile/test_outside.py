"""Nothing is opened outside the table's folder and what the user allows, whatever its metadata names."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import fs

from tests.hostile.conftest import Hostile
from xtable_audit.access.access import Access
from xtable_audit.access.confined import AllowedFolder, Confined, root_of
from xtable_audit.formats.installed import metadata_folders
from xtable_audit.model.malformed import Malformed, Outside
from xtable_audit.model.objects import Objects

ELSEWHERE = (
    "/etc/passwd",
    "file:///etc/passwd",
    "file:/etc/passwd",
    "s3://another-bucket/orders/data/a.parquet",
    "http://169.254.169.254/latest/meta-data",
    "s3://169.254.169.254/latest/meta-data",
    "../../../../../../../../etc/passwd",
    "",
    "https://user:password@example.com/a.parquet",
    "/dev/zero",
    "/etc/\0passwd",
)
NAMES: dict[str, Callable[[Hostile, str], Path]] = {
    "a data file": Hostile.names_file,
    "a manifest": Hostile.names_manifest,
    "a manifest list": Hostile.names_list,
}


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that the judge opens."""
    seen: list[str] = []
    opens = Objects.open

    def noted(objects: Objects, uri: str) -> pa.NativeFile:
        seen.append(uri)
        return opens(objects, uri)

    monkeypatch.setattr(Objects, "open", noted)
    return seen


@pytest.mark.parametrize("address", ELSEWHERE)
@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_an_address_outside_is_refused_unopened_by_the_file_that_names_it(
    hostile: Hostile, opened: list[str], names: Callable[[Hostile, str], Path], address: str
) -> None:
    by = names(hostile, address)
    with pytest.raises(Outside, match="so it was not opened") as refused:
        hostile.case()
    assert refused.value.location.endswith(str(by))
    assert address not in opened


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_an_address_that_climbs_out_of_the_table_is_refused(
    hostile: Hostile, names: Callable[[Hostile, str], Path]
) -> None:
    names(hostile, f"file://{hostile.root}/data/../../../etc/passwd")
    with pytest.raises(Outside, match="outside"):
        hostile.case()


def test_a_symbolic_link_out_of_the_table_is_refused(hostile: Hostile, tmp_path: Path) -> None:
    secret = tmp_path / "secret.parquet"
    shutil.move(hostile.data, secret)
    hostile.data.symlink_to(secret)
    with pytest.raises(Outside, match="outside"):
        hostile.case()


def test_a_table_that_is_reached_by_a_symbolic_link_is_read(hostile: Hostile, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(hostile.root)
    linked = Hostile(tmp_path / "link" / "metadata" / hostile.metadata.name, hostile.data)
    assert linked.case().actual.files["record_count"].to_pylist() == [3]


def test_a_pipe_is_not_opened(hostile: Hostile) -> None:
    pipe = hostile.data.with_name("pipe.parquet")
    os.mkfifo(pipe)
    hostile.names_manifest(f"file://{pipe}")
    with pytest.raises(Malformed, match="no regular file"):
        hostile.case()


def test_what_the_metadata_calls_the_tables_location_opens_nothing(hostile: Hostile) -> None:
    hostile.change_metadata(lambda content: content.update(location="file:///"))
    hostile.names_file("file:///etc/passwd")
    with pytest.raises(Outside):
        hostile.case()


def test_the_refusal_names_the_folder_to_allow(hostile: Hostile, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / "a.parquet"
    hostile.names_file(f"file://{other}")
    with pytest.raises(Outside, match=f"allow it: --allow-prefix file://{other.parent}/$"):
        hostile.case()


def test_a_folder_that_the_user_allows_is_read(hostile: Hostile, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / "a.parquet"
    other.parent.mkdir()
    shutil.move(hostile.data, other)
    hostile.names_file(f"file://{other}")
    assert hostile.case(allow=[str(other.parent)]).actual.files["exists"].to_pylist() == [True]


@pytest.mark.parametrize(
    ("root", "address", "inside"),
    [
        ("s3://lake/orders", "s3://lake/orders/data/a.parquet", True),
        ("s3://lake/orders", "s3a://lake/orders/data/a.parquet", True),
        ("s3://lake/orders/", "s3n://lake/orders/a.parquet", True),
        ("s3://lake/orders", "s3://lake/orders2/a.parquet", False),
        ("s3://lake/orders", "s3://lake2/orders/a.parquet", False),
        ("s3://lake/orders", "s3://lake/orders/../secret/a.parquet", False),
        ("s3://lake/orders", "gs://lake/orders/a.parquet", False),
        ("s3://lake/orders", "s3://user:password@lake/orders/a.parquet", False),
        ("s3://lake", "s3://lake/a.parquet", True),
        ("/lake/orders", "file:///lake/orders/a.parquet", True),
        ("/lake/orders", "file:/lake/orders/./a.parquet", True),
        ("/lake/orders", "/lake/orders-2/a.parquet", False),
        ("/lake/orders", "s3://lake/orders/a.parquet", False),
    ],
)
def test_a_folder_holds_what_is_below_it_and_nothing_beside_it(root: str, address: str, inside: bool) -> None:
    assert AllowedFolder(root, Access().objects("/")).holds(address) is inside


@pytest.mark.parametrize(
    ("location", "root"),
    [
        ("s3://lake/shop/orders/metadata/v7.metadata.json", "s3://lake/shop/orders"),
        ("s3://lake/metadata/v7.metadata.json", "s3://lake"),
        ("s3://metadata/v7.metadata.json", "s3://metadata"),
        ("s3://lake/shop/orders/v7.metadata.json", "s3://lake/shop/orders"),
        ("file:///lake/orders/metadata/v7.metadata.json", "/lake/orders"),
        ("file:/lake/orders/metadata/v7.metadata.json", "/lake/orders"),
        ("/metadata/v7.metadata.json", "/metadata"),
        ("file:///metadata/v7.metadata.json", "/metadata"),
        ("/lake/v7.metadata.json", "/lake"),
        ("metadata/v7.metadata.json", f"{Path.cwd()}"),
        ("orders/metadata/v7.metadata.json", f"{Path.cwd()}/orders"),
    ],
)
def test_the_root_of_a_table_is_the_folder_around_its_metadata(location: str, root: str) -> None:
    assert root_of(location, metadata_folders()) == root


PARTS = st.sampled_from(["data", "linked", "a", "..", ".", "", "away", "\0"])
ROOTS = st.sampled_from(
    ["{root}/", "file://{root}/", "file:{root}/", "{root}2/", "s3://lake/orders/", "s3a://lake/", ""]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_the_first_of_many_addresses_outside_is_the_one_found_by_asking_for_each(
    tmp_path: Path, data: st.DataObject
) -> None:
    """A folder, a link to one outside, and a link out of it in a folder."""
    root = tmp_path / "root"
    if not root.exists():
        (root / "data").mkdir(parents=True)
        (root / "linked").symlink_to(tmp_path)
        (root / "data" / "away").symlink_to(tmp_path)
    below = st.lists(PARTS, max_size=3).map("/".join)
    drawn = st.builds(lambda start, rest: start.format(root=root) + rest, ROOTS, below)
    uris = data.draw(st.lists(drawn, max_size=6))
    folders = (
        AllowedFolder(str(root), Access().objects("/")),
        AllowedFolder("s3://lake/orders", Access().objects("/")),
    )
    confined = Confined(fs.LocalFileSystem(), folders=folders)
    each = ((place, why) for place, uri in enumerate(uris) if (why := confined.outside(uri)) is not None)
    assert confined.first_outside(pa.array(uris, pa.string())) == next(each, None)
