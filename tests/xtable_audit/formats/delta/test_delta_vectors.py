"""Deletion vectors of Delta are found and read: in the log, beside the data, at an address that may be read."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path
from typing import Any

import pytest
from pyarrow import fs
from pyroaring import BitMap64

from tools.pages.affected import recorded_sources
from xtable_audit.access.confined import AllowedFolder, Confined
from xtable_audit.formats.delta.deletion_vector import RFC_1924, Z85, VectorDescriptor, from_z85
from xtable_audit.formats.delta.log import read_log
from xtable_audit.formats.folder import TableFolder
from xtable_audit.model.malformed import Malformed, Outside
from xtable_audit.model.objects import Objects
from xtable_audit.model.scan_input import Positions
from xtable_audit.values.deleted_rows import VECTOR, positions_of

ROWS = [3, 4, 7, 11, 18, 29, (1 << 32) + 5]
OF_PROTOCOL = ("ab^-aqEH.-t@S}K{vb[*k^", "ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin")
"""The protocol's own example: a folder and a UUID, and the file that they name."""


def vector(*rows: int) -> bytes:
    return VECTOR + BitMap64(rows).serialize()


def z85(content: bytes) -> str:
    padded = content + b"\0" * (-len(content) % 4)
    return base64.b85encode(padded).decode().translate(str.maketrans(RFC_1924, Z85))


def descriptor(kind: str, where: str, **more: Any) -> VectorDescriptor:
    return VectorDescriptor.model_validate({"storageType": kind, "pathOrInlineDv": where, "cardinality": 7, **more})


def positions(found: VectorDescriptor, folder: TableFolder) -> Positions:
    return positions_of(folder.objects, found.vector(folder, "a.json"))


def in_file(path: Path, content: bytes) -> dict[str, int]:
    """Writes it as the second vector of a file; its place."""
    framed = [len(one).to_bytes(4, "big") + one + zlib.crc32(one).to_bytes(4, "big") for one in (vector(1), content)]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"\1" + b"".join(framed))
    return {"offset": 1 + len(framed[0]), "sizeInBytes": len(content)}


def test_a_vector_in_the_log_is_read(tmp_path: Path) -> None:
    content = vector(*ROWS)
    found = descriptor("i", z85(content), sizeInBytes=len(content))
    assert [*positions(found, TableFolder.at(str(tmp_path)))] == ROWS


def test_a_vector_beside_the_data_is_read(tmp_path: Path) -> None:
    where, file = OF_PROTOCOL
    found = descriptor("u", where, **in_file(tmp_path / file, vector(*ROWS)))
    assert [*positions(found, TableFolder.at(str(tmp_path)))] == ROWS


def test_a_vector_at_an_address_is_read(tmp_path: Path) -> None:
    place = in_file(tmp_path / "a b.bin", vector(*ROWS))
    assert [*positions(descriptor("p", f"{tmp_path}/a%20b.bin", **place), TableFolder.at(str(tmp_path)))] == ROWS


def test_a_vector_of_sparks_removes_as_many_rows_as_it_says() -> None:
    folder = TableFolder.at(str(recorded_sources() / "delta_vectors"))
    [found] = [one for add in read_log(folder).adds.values() if (one := add.deletion_vector) is not None]
    assert len(positions(found, folder)) == found.cardinality == 3


def test_vectors_of_one_file_differ_by_their_place() -> None:
    ids = [descriptor("u", "x", **more).unique_id for more in ({}, {"offset": 1}, {"offset": 9})]
    assert ids == ["ux", "ux@1", "ux@9"]


@pytest.mark.parametrize("address", ["/etc/passwd", "file:///etc/passwd", "s3://other/vector.bin"])
def test_a_vector_outside_the_table_is_not_opened(address: str, tmp_path: Path) -> None:
    inside = Confined(fs.LocalFileSystem(), folders=(AllowedFolder(f"{tmp_path}/", Objects(fs.LocalFileSystem())),))
    with pytest.raises(Outside, match="so it was not opened"):
        positions(descriptor("p", address, offset=1, sizeInBytes=40), TableFolder(str(tmp_path), inside))


def spoilt(content: bytes, place: int) -> bytes:
    changed = bytearray(content)
    changed[place] ^= 1
    return bytes(changed)


GOOD = vector(*ROWS)
BROKEN = {
    "another magic": (z85(spoilt(GOOD, 0)), "holds a deletion vector that starts with"),
    "no bitmap": (z85(spoilt(GOOD, 4)), "holds a broken deletion vector"),
    "cut off": (z85(GOOD[:40]), "holds a broken deletion vector"),
    "nothing": ("", "holds a deletion vector that starts with b''"),
}


@pytest.mark.parametrize(("inline", "words"), BROKEN.values(), ids=BROKEN)
def test_a_broken_vector_is_one_sentence(inline: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(Malformed) as error:
        positions(descriptor("i", inline), TableFolder.at(str(tmp_path)))
    assert words in str(error.value)


@pytest.mark.parametrize("text", ["~~~~~", "0000"])
def test_a_text_that_is_no_base85_is_no_vector(text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"'{text}' is no Base85"):
        descriptor("i", text).vector(TableFolder.at(str(tmp_path)), "a.json")


@pytest.mark.parametrize("field", ["offset", "sizeInBytes"])
@pytest.mark.parametrize("wrong", [-100, 0, 3, 10**6])
def test_a_vector_at_another_place_is_one_sentence(field: str, wrong: int, tmp_path: Path) -> None:
    where, file = OF_PROTOCOL
    place = in_file(tmp_path / file, GOOD) | {field: wrong}
    with pytest.raises(Malformed, match="holds no deletion vector in the"):
        positions(descriptor("u", where, **place), TableFolder.at(str(tmp_path)))


def test_a_vector_with_another_checksum_is_one_sentence(tmp_path: Path) -> None:
    where, file = OF_PROTOCOL
    place = in_file(tmp_path / file, GOOD)
    (tmp_path / file).write_bytes(spoilt((tmp_path / file).read_bytes(), -1))
    with pytest.raises(Malformed, match="holds no deletion vector in the"):
        positions(descriptor("u", where, **place), TableFolder.at(str(tmp_path)))


def test_a_vector_of_more_rows_than_a_file_has_is_not_unfolded(tmp_path: Path) -> None:
    many = BitMap64()
    many.add_range(0, 1 << 33)
    many.run_optimize()
    content = VECTOR + many.serialize()
    with pytest.raises(Malformed, match="rows, more than is read"):
        positions(descriptor("i", z85(content), sizeInBytes=len(content)), TableFolder.at(str(tmp_path)))


def test_the_name_of_a_file_is_no_uuid(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="16-char"):
        descriptor("u", "short", offset=1, sizeInBytes=1).vector(TableFolder.at(str(tmp_path)), "a.json")


def test_base85_is_that_of_zeromq() -> None:
    assert from_z85("HelloWorld") == bytes.fromhex("864fd26fb559f75b")
