"""One file of numbers and text that cannot execute code, written whole or not at all.

It is numpy's ``.npz`` format without pickled objects; its first member ``header`` is JSON text as bytes.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from rat_envs.engine.errors import CheckpointError

__all__ = ["PARTIAL_SUFFIX", "read_archive", "write_archive", "write_file"]

HEADER = "header"
#: Suffix of a file that is still being written; a leftover of a killed process is overwritten by the next write.
PARTIAL_SUFFIX = ".partial"
#: What a damaged or foreign file makes numpy, zipfile and json raise.
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, KeyError, NotImplementedError)


def write_archive(path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write a file so that at any moment ``path`` is either the whole old file or the whole new one.

    Args:
        path: where; the folder is made if need be.
        header: plain JSON values, among them ``format``.
        arrays: by name, of numbers.
    """
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    _write_whole(Path(path), lambda file: np.savez(file, **{HEADER: text, **arrays}))  # type: ignore[arg-type]


def write_file(path: str | Path, content: bytes) -> None:
    """Write any file in the same way."""
    _write_whole(Path(path), lambda file: file.write(content))


def _write_whole(path: Path, write: Callable[[BinaryIO], Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + PARTIAL_SUFFIX)
    with open(partial, "wb") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)
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
    """Header and arrays of a file written by :func:`write_archive`.

    Args:
        path: the file.
        form: the format the header must name, as ``rat-policy/1``, or several of which it must name one.
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
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays.pop(HEADER).tobytes())
        found = header["format"]
    except (*DAMAGED, AttributeError, TypeError):
        raise CheckpointError(
            f"{path} is no whole {what} file ({wanted}): it is truncated, damaged or holds something else."
        ) from None
    if found not in forms:
        raise CheckpointError(f"{path} is of format {found!r}: a {what} of format {wanted} is needed.")
    return header, arrays
