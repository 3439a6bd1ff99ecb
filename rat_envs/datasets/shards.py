"""A file of transitions, as NumPy's ``.npz`` or as Parquet; equal rows make equal files, byte for byte."""

from __future__ import annotations

import importlib.metadata
import io
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from rat_envs.arena.folder import versions
from rat_envs.datasets.rows import Column
from rat_envs.engine.errors import needing, reason_of

__all__ = ["FORMS", "NPZ", "demand_packages", "from_bytes", "to_bytes", "versions_of"]

#: The formats of files, and their suffixes.
NPZ, PARQUET = "npz", "parquet"
FORMS = (NPZ, PARQUET)
#: The time that a zip file says its members are from: the earliest that it can.
NO_TIME = (1980, 1, 1, 0, 0, 0)
#: The system that a zip file says it was made on: Unix.
UNIX = 3


def demand_packages(form: str) -> None:
    """Refuse a format whose packages are not installed.

    Raises:
        MissingExtraError: they are not.
    """
    if form == PARQUET:
        with needing("Parquet", "parquet"):
            import pyarrow.parquet  # noqa: F401


def versions_of(form: str) -> dict[str, str]:
    """Versions of all that a file of transitions depends on."""
    own = {"zlib": zlib.ZLIB_RUNTIME_VERSION} if form == NPZ else {"pyarrow": importlib.metadata.version("pyarrow")}
    return {**versions(), **own}


def to_bytes(rows: Mapping[str, np.ndarray], form: str) -> bytes:
    """The file with these columns.

    Raises:
        MissingExtraError: the format needs packages that are not installed.
    """
    file = io.BytesIO()
    if form == NPZ:
        _write_npz(rows, file)
    else:
        _write_parquet(rows, file)
    return file.getvalue()


def from_bytes(content: bytes, form: str, columns: Mapping[str, Column], number: int) -> dict[str, np.ndarray]:
    """The columns in a file.

    Args:
        columns: those that it must have.
        number: the number of rows that it must have.

    Raises:
        ValueError: the file is damaged, or holds something else; the message says why, without a full stop.
        MissingExtraError: the format needs packages that are not installed.
    """
    demand_packages(form)
    try:
        rows = _read_npz(content, columns, number) if form == NPZ else _read_parquet(content, columns)
    except Exception as error:  # zipfile, zlib, NumPy and Arrow each have errors of their own
        raise ValueError(reason_of(error)) from error
    for name, column in columns.items():
        found, right = (rows[name].dtype.name, rows[name].shape), (column.dtype, (number, *column.shape))
        if found != right:
            raise ValueError(f"the column {name} is {found[0]} of shape {found[1]}, not {right[0]} of shape {right[1]}")
    return rows


def _write_npz(rows: Mapping[str, np.ndarray], file: io.BytesIO) -> None:
    """As ``numpy.savez_compressed`` writes it, but without the time and the system."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in rows.items():
            member = zipfile.ZipInfo(f"{name}.npy", NO_TIME)
            member.compress_type, member.create_system = zipfile.ZIP_DEFLATED, UNIX
            with archive.open(member, "w", force_zip64=True) as place:
                little = array.astype(array.dtype.newbyteorder("<"), copy=False)
                np.lib.format.write_array(place, little, allow_pickle=False)


def _read_npz(content: bytes, columns: Mapping[str, Column], number: int) -> dict[str, np.ndarray]:
    """What a file claims of its arrays is compared with what they must be before memory is taken for them."""
    rows = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name, column in columns.items():
            with archive.open(f"{name}.npy") as member:
                np.lib.format.read_magic(member)
                found, right = np.lib.format.read_array_header_1_0(member), (number, *column.shape)
                if (found[0], found[2]) != (right, np.dtype(column.dtype)):
                    raise ValueError(
                        f"the column {name} is {found[2]} of shape {found[0]}, not {column.dtype} of {right}"
                    )
                place = np.empty(right, column.dtype)
                held = member.read(place.nbytes)
                place.reshape(-1).view(np.uint8)[:] = np.frombuffer(held, np.uint8)
                if member.read(1):  # at the end the sum of all bytes is checked
                    raise ValueError(f"the column {name} goes on after its last number")
                rows[name] = place
    return rows


def _write_parquet(rows: Mapping[str, np.ndarray], file: io.BytesIO) -> None:
    """A row of several numbers is a list of fixed size."""
    demand_packages(PARQUET)
    import pyarrow
    import pyarrow.parquet

    def column(array: np.ndarray) -> Any:
        values = pyarrow.array(array.reshape(-1))
        return values if array.ndim == 1 else pyarrow.FixedSizeListArray.from_arrays(values, array.shape[1])

    table = pyarrow.table({name: column(array) for name, array in rows.items()})
    pyarrow.parquet.write_table(table, file, compression="zstd")


def _read_parquet(content: bytes, columns: Mapping[str, Column]) -> dict[str, np.ndarray]:
    import pyarrow.parquet

    table, rows = pyarrow.parquet.read_table(io.BytesIO(content), columns=list(columns)), {}
    for name, column in columns.items():
        array = table.column(name).combine_chunks()
        values = array.flatten() if column.shape else array
        rows[name] = values.to_numpy(zero_copy_only=False).reshape(len(array), *column.shape)
    return rows
