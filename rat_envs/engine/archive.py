"""One file of numbers and text that cannot execute code, written whole or not at all.

It is a safetensors file whose metadata is one text of JSON, ``header``. The header holds a hash of all contents, since
safetensors notices a truncated file but not a changed number.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from rat_envs.engine.errors import CheckpointError

__all__ = ["PARTIAL_SUFFIX", "read_archive", "write_archive", "write_file"]

HEADER, HASH = "header", "sha256"
#: Suffix of a file that is still being written; a leftover of a killed process is overwritten by the next write.
PARTIAL_SUFFIX = ".partial"
#: What a damaged or foreign file makes safetensors, numpy and json raise: a type that numpy lacks is an AttributeError
#: or a TypeError, a size beyond its integers an OverflowError, and lists within lists without end a RecursionError.
DAMAGED = (
    SafetensorError,
    OSError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
)


def write_archive(path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write a file so that at any moment ``path`` is either the whole old file or the whole new one.

    Equal contents make equal files, byte for byte.

    Args:
        path: where; the folder is made if need be.
        header: plain JSON values by name, among them ``format``; the name ``sha256`` is taken.
        arrays: by name, of numbers, of any shape.
    """
    # safetensors would write a transposed array as it lies in memory, and not as it is indexed.
    dense = {name: np.asarray(array, array.dtype.newbyteorder("<"), order="C") for name, array in arrays.items()}
    text = json.dumps({**header, HASH: _hash(header, dense)})
    write_file(path, save(dense, {HEADER: text}))


def write_file(path: str | Path, content: bytes) -> None:
    """Write any file in the same way.

    Raises:
        OSError: it cannot be written; ``path`` is as it was, and no part of the new file is left.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + PARTIAL_SUFFIX)
    try:
        with open(partial, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        error.filename = str(path)  # which a full disk leaves open
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Have the file's new name on the disk, too, where the system can."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def read_archive(
    path: str | Path, form: str | tuple[str, ...], what: str
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a file written by :func:`write_archive`; the arrays may be written into.

    Args:
        path: the file.
        form: the format the header must name, as ``rat-policy/2``, or several of which it must name one.
        what: what the file should be, for error messages, as ``policy``.

    Raises:
        CheckpointError: there is no such file, it is damaged, or it is something else.
    """
    path = Path(path)
    forms = (form,) if isinstance(form, str) else form
    wanted = " or ".join(forms)
    if not path.is_file():
        raise CheckpointError(f"There is no {what} file {path}.")
    try:
        # This compares all sizes with the length of the file before it takes memory for any array.
        with safe_open(path, framework="np") as file:
            header = json.loads(file.metadata()[HEADER])
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118, it has nothing but keys()
        if header.pop(HASH) != _hash(header, arrays):
            raise ValueError("the contents are not those that were written")
        found = header["format"]
    except DAMAGED:
        raise CheckpointError(
            f"{path} is no whole {what} file ({wanted}): it is truncated, damaged or holds something else."
        ) from None
    if found not in forms:
        raise CheckpointError(f"{path} is of format {found!r}: a {what} of format {wanted} is needed.")
    return header, arrays


def _hash(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> str:
    """SHA-256 in hexadecimal of the header, and of the name, the type, the shape and the numbers of each array.

    Args:
        header: plain JSON values.
        arrays: by name, dense, in any order.
    """
    ordered = sorted(arrays.items())
    outline = [[name, array.dtype.name, array.shape] for name, array in ordered]
    digest = hashlib.sha256(json.dumps([header, outline]).encode())
    for _, array in ordered:
        digest.update(array.reshape(-1).view(np.uint8))
    return digest.hexdigest()
