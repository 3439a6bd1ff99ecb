"""One file of numbers and text that cannot execute code, written whole or not at all.

It is a safetensors file whose metadata is one text of JSON, ``header``. The header holds a hash of all contents, since
safetensors notices a truncated file but not a changed number.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import os
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from rat_envs.engine.errors import CheckpointError, reason_of, shown, shown_path
from rat_envs.engine.files import MEBIBYTE, parse_json, read_bytes

__all__ = [
    "MOST_BYTES",
    "PARTIAL_SUFFIX",
    "demand_finite",
    "hash_of",
    "naming",
    "put_in_place",
    "read_archive",
    "whole_file",
    "write_archive",
    "write_file",
]

HEADER, HASH = "header", "sha256"
#: The most bytes of a file, and of the JSON at its beginning, that are read.
MOST_BYTES, MOST_OUTLINE = 1024 * MEBIBYTE, 16 * MEBIBYTE
#: Bytes of a number of each type that numpy knows, by its name in safetensors.
SIZES = {"BOOL": 1, "I8": 1, "U8": 1, "I16": 2, "U16": 2, "F16": 2, "I32": 4, "U32": 4, "F32": 4}
SIZES |= {"I64": 8, "U64": 8, "F64": 8}
#: Suffix of a file that is still being written; a leftover of a killed process is removed by the next write.
PARTIAL_SUFFIX = ".rat-partial"  # used by no other program, as such files are deleted
#: How long to wait for a virus scanner that has a file open, and how long between two attempts.
SECONDS_OPEN, SECONDS_BETWEEN = 2.0, 0.05
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
        path: where; the folder is made if needed.
        header: plain JSON values by name, among them ``format``; the name ``sha256`` is reserved.
        arrays: by name, of numbers, of any shape.

    Raises:
        CheckpointError: it would be larger than what is read, or the header is not valid JSON; nothing is written.
    """
    # safetensors would write a transposed array as it lies in memory, and not as it is indexed.
    dense = {name: np.asarray(array, array.dtype.newbyteorder("<"), order="C") for name, array in arrays.items()}
    try:
        text = json.dumps({**header, HASH: hash_of(header, dense)})
        parse_json(text)
        if (size := len(text) + sum(array.nbytes for array in dense.values())) > MOST_BYTES:
            raise ValueError(f"it would have {size // MEBIBYTE:,} MiB")
    except (TypeError, ValueError) as error:
        reason = f"it could not be read again ({reason_of(error)})"
        raise CheckpointError(f"{shown_path(path)} is not written, as {reason}.") from None
    write_file(path, save(dense, {HEADER: text}))


def demand_finite(path: str | Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse to write learnt numbers that no reader would accept.

    Raises:
        CheckpointError: one of the numbers is not finite.
    """
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise CheckpointError(
                f"{shown_path(path)} is not written, and what it held before stays: the array {name} has numbers that "
                "are not finite. A smaller learning_rate may help."
            )


def write_file(path: str | Path, content: bytes, mode: int = 0o666) -> None:
    """Write any file, with all its ``content``, in the same way; args and errors are those of :func:`whole_file`."""
    with whole_file(path, mode) as file, naming(path):
        file.write(content)


@contextlib.contextmanager
def whole_file(path: str | Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A file to write into that appears at ``path`` when the block ends, or not at all if it raises.

    Args:
        path: where; the folder is made if needed.
        mode: its permissions, as far as the umask allows them.

    Raises:
        OSError: it cannot be written; ``path`` is as it was, and no part of the new file is left.
    """
    path = Path(path)
    if not path.name:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + PARTIAL_SUFFIX)
    try:
        with naming(path):
            partial.unlink(missing_ok=True)  # and "x" follows no link that somebody puts in its place
            file = open(partial, "xb", opener=lambda name, flags: os.open(name, flags, mode))  # noqa: SIM115, see below
        with file:
            yield file
            with naming(path):
                file.flush()
                os.fsync(file.fileno())
        put_in_place(partial, path)
    except BaseException:  # Ctrl-C leaves nothing half-written either
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def put_in_place(source: Path, target: Path) -> None:
    """Rename a file, replacing the target. On Windows another program may have one of them open for a moment.

    Raises:
        OSError: it cannot be done; both are as they were.
    """
    until = time.monotonic() + SECONDS_OPEN
    with naming(target):
        while True:
            try:
                os.replace(source, target)
                return
            except PermissionError:
                if sys.platform != "win32" or time.monotonic() > until:
                    raise
            time.sleep(SECONDS_BETWEEN)


@contextlib.contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Put the name of the file into errors of the system: for a full disk they have none."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


def _sync_folder(folder: Path) -> None:
    """Write the file's new name to the disk too, if the system can: the file itself is there in any case."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def read_archive(
    path: str | Path, form: str | tuple[str, ...], what: str, most_bytes: int = MOST_BYTES
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a file written by :func:`write_archive`; the arrays may be written into.

    Args:
        path: the file.
        form: the format that the header must name, such as ``rat-policy/2``, or several, of which it must name one.
        what: what the file should be, for error messages, such as ``policy``.
        most_bytes: a larger file is refused.

    Raises:
        CheckpointError: there is no such file, it is damaged, or it is something else.
    """
    content = read_bytes(path, what, most_bytes)  # at once, as a run may replace the file at any moment
    forms = (form,) if isinstance(form, str) else form
    wanted = " or ".join(forms)
    try:
        header = parse_json(_metadata(content)[HEADER])
        arrays = load(content)
        if header.pop(HASH) != hash_of(header, arrays):
            raise ValueError("the contents are not those that were written")
        found = header["format"]
    except DAMAGED:
        raise CheckpointError(
            f"{shown_path(path)} is not a complete {what} file ({wanted}): it is truncated, damaged or holds something "
            "else."
        ) from None
    if found not in forms:
        raise CheckpointError(f"{shown_path(path)} is of format {shown(found)}: a {what} of format {wanted} is needed.")
    return header, arrays


def _metadata(content: bytes) -> dict[str, Any]:
    """The texts by name in the outline at the beginning of a file; the sizes in the outline must fit the file's size.

    They are compared before memory is allocated for the arrays.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: they do not fit.
    """
    size = len(content)
    length = int.from_bytes(content[:8], "little")
    if length > min(size - 8, MOST_OUTLINE):
        raise ValueError("the outline is longer than the file, or than any of ours")
    outline = parse_json(content[8 : 8 + length].decode())
    metadata = outline.pop("__metadata__")
    for array in outline.values():
        start, end = array["data_offsets"]
        if not all(type(number) is int and 0 <= number <= size for number in (start, end, *array["shape"])):
            raise ValueError("an offset or a shape is not a size")
        if math.prod(array["shape"]) * SIZES[array["dtype"]] != end - start or 8 + length + end > size:
            raise ValueError("an array does not fit into its place")
    return metadata


def hash_of(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> str:
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
