"""Folders and files that one process at a time writes to, and what dead processes have left there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from rat_envs.engine.archive import PARTIAL_SUFFIX
from rat_envs.engine.errors import CheckpointError, shown_path

__all__ = ["LOCK", "locked", "locked_file"]

#: The file that is locked while something writes to its folder.
LOCK = ".lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes out of ``folder``, which is made if needed, and delete half-written files of dead ones.

    The system unlocks the folder when the process dies. Half-written files are looked for in it and in its subfolders,
    except those that have a lock of their own.

    Raises:
        CheckpointError: another process has it, or it is a file.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise CheckpointError(f"{shown_path(folder)} is a file, or would lie in one: name a folder.") from None
    with _alone(folder / LOCK, folder):
        within = [inner for inner in folder.iterdir() if inner.is_dir() and not (inner / LOCK).exists()]
        for place in (folder, *within):
            for partial in place.glob(f"*{PARTIAL_SUFFIX}"):
                _remove(partial)
        yield


@contextmanager
def locked_file(path: Path) -> Iterator[None]:
    """The same for a single file, whose folder others may write to.

    Raises:
        CheckpointError: another process writes it, or the path names no file.
    """
    if not path.name:
        raise CheckpointError(f"{shown_path(path)} is no file: give the path of one.")
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone(path.with_name(f".{path.name}{LOCK}"), path):
        _remove(path.with_name(path.name + PARTIAL_SUFFIX))
        yield


@contextmanager
def _alone(lock_path: Path, what: Path) -> Iterator[None]:
    lock = FileLock(lock_path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise CheckpointError(
            f"Another run is writing to {shown_path(what)}: wait until it has ended, or give another place."
        ) from None
    try:
        yield
    finally:
        lock.release()


def _remove(partial: Path) -> None:
    with contextlib.suppress(OSError):  # it is not there, or it may not be removed
        if partial.is_file() or partial.is_symlink():
            partial.unlink()
