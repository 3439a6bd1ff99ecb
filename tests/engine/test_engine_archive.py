"""Archives: every array comes back bit for bit, and whatever is not an archive is refused in one sentence."""

from __future__ import annotations

import itertools
import json
import os
import pickle
import re
import sys
import threading
import tracemalloc
import zipfile

import numpy as np
import pytest
from safetensors.numpy import save

from rat_envs.engine.archive import PARTIAL_SUFFIX, read_archive, write_archive, write_file
from rat_envs.engine.errors import CheckpointError

FORM = "rat-test/1"
TYPES = ("bool", "int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "test.safetensors"


def there_and_back(path, arrays, **header):
    write_archive(path, {"format": FORM, **header}, arrays)
    return read_archive(path, FORM, "test")


def refusal(path) -> str:
    with pytest.raises(CheckpointError) as error:
        read_archive(path, FORM, "test")
    message = str(error.value)
    assert message.startswith(str(path)) and message.endswith(".") and "\n" not in message
    return message


def raw(outline: object, data: bytes = b"") -> bytes:
    """A safetensors file with this outline, right or wrong."""
    text = outline if isinstance(outline, bytes) else json.dumps(outline).encode()
    return len(text).to_bytes(8, "little") + text + data


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("shape", [(), (5,), (0, 4), (2, 3, 4)])
def test_arrays_come_back_bit_for_bit_and_can_be_written_into(path, kind, shape):
    size = np.dtype(kind).itemsize
    numbers = np.random.default_rng(0).integers(2 if kind == "bool" else 256, size=(*shape, size), dtype=np.uint8)
    array = numbers.view(kind).reshape(shape)  # of any bits, among them some that are not finite
    _, arrays = there_and_back(path, {"a": array, "other": np.zeros(3, np.int8)})
    back = arrays["a"]
    assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, array.shape, array.tobytes())
    back[...] = 1


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ({"minutes": float("inf")}, "Infinity is not a number of JSON"),
        ({"spacing": 2**400}, "121 digits"),
        ({"seats": [0] * 500_001}, "more than 500,000 parts"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(path, header, reason):
    there_and_back(path, {"a": np.ones(3)})
    before = path.read_bytes()
    with pytest.raises(CheckpointError, match=f"is not written, as it could not be read again .*{reason}"):
        write_archive(path, {"format": FORM, **header}, {})
    assert path.read_bytes() == before


@pytest.mark.parametrize("place", [".", "/", ""])
def test_a_path_without_a_name_is_no_file(place):
    with pytest.raises(IsADirectoryError):
        write_file(place, b"")


def test_more_than_is_read_is_not_written(path, monkeypatch):
    monkeypatch.setattr("rat_envs.engine.archive.MOST_BYTES", 2**20)
    with pytest.raises(CheckpointError, match=r"could not be read again \(it would have 2 MiB"):
        write_archive(path, {"format": FORM}, {"a": np.ones(2**18)})
    assert not path.exists()


def test_arrays_are_written_as_they_are_indexed(path):
    array = np.arange(24, dtype=np.int32).reshape(4, 6)
    views = {
        "transposed": array.T,
        "every_other": array[:, ::2],
        "backwards": array[::-1],
        "swapped": array.astype(">i4"),
    }
    _, arrays = there_and_back(path, views)
    for name, view in views.items():
        assert np.array_equal(arrays[name], view), name


def test_header_comes_back(path):
    header = {"text": "ratte ♥ \n", "number": 0.1, "large": 2**70, "list": [1, None, True, {"a": -1e-300}]}
    assert there_and_back(path, {}, **header)[0] == {"format": FORM, **header}


def test_equal_contents_make_equal_files(path, tmp_path):
    arrays = {name: np.zeros(3) for name in "abcdefgh"}
    there_and_back(path, arrays, one=1, two=2)
    there_and_back(tmp_path / "again", dict(reversed(arrays.items())), one=1, two=2)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    assert not list(path.parent.glob(f"*{PARTIAL_SUFFIX}"))


def zipped(path) -> bytes:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", "text")
    return path.read_bytes()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"text",
        pickle.dumps({"format": FORM}),
        raw(b"{}"),
        raw([]),
        raw({"__metadata__": {"other": "{}"}}),
        raw({"__metadata__": {"header": "no JSON"}}),
        raw({"__metadata__": {"header": "[" * 100_000}}),
        raw({"__metadata__": {"header": "9" * 5_000}}),
        raw({"__metadata__": {"header": "[1]"}}),
        raw({"__metadata__": {"header": json.dumps({"format": FORM})}}),
        raw({"__metadata__": {"header": 1}}),
        raw({"a": {"dtype": "BF16", "shape": [4], "data_offsets": [0, 8]}, "__metadata__": {"header": "{}"}}, bytes(8)),
        raw(
            {"a": {"dtype": "F8_E4M3", "shape": [8], "data_offsets": [0, 8]}, "__metadata__": {"header": "{}"}},
            bytes(8),
        ),
        raw({"a": {"dtype": "U8", "shape": [0, 2**63], "data_offsets": [0, 0]}, "__metadata__": {"header": "{}"}}),
        raw({"a": {"dtype": "U8", "shape": [2**33, 2**33], "data_offsets": [0, 0]}, "__metadata__": {"header": "{}"}}),
        raw({"a": {"dtype": "U8", "shape": [9], "data_offsets": [0, 8]}, "__metadata__": {"header": "{}"}}, bytes(8)),
        raw({"a": {"dtype": "U8", "shape": [-1], "data_offsets": [0, 8]}, "__metadata__": {"header": "{}"}}, bytes(8)),
    ],
)
def test_what_is_no_archive_is_refused(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    assert "damaged" in refusal(tmp_path / "file")


def test_a_zip_file_is_refused(tmp_path):
    (tmp_path / "file").write_bytes(zipped(tmp_path / "zip"))
    assert "damaged" in refusal(tmp_path / "file")


def test_other_tensors_are_refused(tmp_path):
    (tmp_path / "file").write_bytes(save({"a": np.zeros(3)}, {"header": json.dumps({"format": FORM})}))
    assert "damaged" in refusal(tmp_path / "file")


@pytest.mark.parametrize("size", [2**20, 2**40, 2**63, 2**64 - 1])
def test_claimed_sizes_take_no_memory(tmp_path, size):
    whole = raw({"a": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}, "__metadata__": {"header": "{}"}})
    tracemalloc.start()
    for content in (whole, size.to_bytes(8, "little") + whole[8:]):
        (tmp_path / "file").write_bytes(content)
        refusal(tmp_path / "file")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**18


def test_an_array_of_another_type_is_noticed(path):
    there_and_back(path, {"a": np.arange(4, dtype=np.int32)})
    path.write_bytes(path.read_bytes().replace(b'"I32"', b'"F32"'))
    assert "damaged" in refusal(path)


def test_another_format_is_named(path):
    write_archive(path, {"format": "rat-other/3"}, {})
    assert refusal(path) == f"{path} is of format 'rat-other/3': a test of format {FORM} is needed."


def test_a_file_that_is_replaced_while_it_is_read_is_the_old_or_the_new_one(path, monkeypatch):
    monkeypatch.setattr("os.fsync", lambda descriptor: None)  # so that it is replaced often
    there_and_back(path, {"a": np.zeros(9)}, note="")
    has_ended = threading.Event()

    def go_on_replacing():
        for length in itertools.cycle(range(99)):
            if has_ended.is_set():
                return
            write_archive(path, {"format": FORM, "note": length * "a"}, {"a": np.full(9, float(length))})

    writer = threading.Thread(target=go_on_replacing)
    writer.start()
    try:
        for _ in range(3000):
            header, arrays = read_archive(path, FORM, "test")
            assert arrays["a"].tolist() == 9 * [len(header["note"])]
    finally:
        has_ended.set()
        writer.join()


@pytest.mark.parametrize("system", ["win32", "linux"])
def test_a_file_that_a_virus_scanner_has_open_is_waited_for_on_windows(path, monkeypatch, system):
    left = [3]

    def is_open(*paths, replace=os.replace):
        left[0] -= 1
        if left[0] >= 0:
            raise PermissionError(13, "Access is denied", str(paths[0]))
        replace(*paths)

    write_file(path, b"old")
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(os, "replace", is_open)
    monkeypatch.setattr("rat_envs.engine.archive.SECONDS_BETWEEN", 0.0)
    if system == "win32":
        write_file(path, b"new")
        left[0] = 10**9
        monkeypatch.setattr("rat_envs.engine.archive.SECONDS_OPEN", 0.0)
    before = path.read_bytes()
    with pytest.raises(PermissionError) as error:
        write_file(path, b"newest")
    assert error.value.filename == str(path)
    assert before == (b"new" if system == "win32" else b"old") == path.read_bytes()
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(CheckpointError, match=re.escape(f"There is no test file {tmp_path}: it is a folder.")):
        read_archive(tmp_path, FORM, "test")
