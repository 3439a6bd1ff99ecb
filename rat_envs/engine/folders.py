"""Folders and files that one process at a time writes to, and what dead processes have left there."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import BaseFileLock, FileLock, SoftFileLock, Timeout

from rat_envs.engine.archive import PARTIAL_SUFFIX
from rat_envs.engine.errors import CheckpointError, shown_path

__all__ = ["LOCK", "locked", "locked_file"]

#: The file that is locked while something writes to its folder.
LOCK = ".lock"
#: What is added to its name where the file system has no locks.
HELD = ".held"
#: What such a file system answers.
NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes out of ``folder``, which is made if needed, and delete half-written files of dead ones.

    The system unlocks the folder when the process dies, if the file system has locks. Half-written files are looked for
    in it and in its subfolders, except those that have a lock of their own.

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
    lock = _acquired(lock_path, what)
    try:
        yield
    finally:
        lock.release()


def _acquired(lock_path: Path, what: Path) -> BaseFileLock:
    """A lock of the system; of files that are there, where the file system has none, as some over a network.

    Raises:
        CheckpointError: another process has it, or the file cannot be locked.
    """
    lock = FileLock(lock_path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise CheckpointError(
            f"Another run is writing to {shown_path(what)}: wait until it has ended, or give another place."
        ) from None
    except NotImplementedError:  # of earlier versions of filelock
        return _acquired_by_file(lock_path, what)
    except OSError as error:
        if error.errno in NO_LOCKS:
            return _acquired_by_file(lock_path, what)
        if error.filename is not None:
            raise
        raise CheckpointError(
            f"{shown_path(lock_path)} cannot be locked ({error.strerror}): give another place."
        ) from None
    return lock


def _acquired_by_file(lock_path: Path, what: Path) -> BaseFileLock:
    """A lock that is held while its file is there, which the system does not remove when the process is killed."""
    held = lock_path.with_name(f"{lock_path.name}{HELD}")
    lock = SoftFileLock(held)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise CheckpointError(
            f"Another run is writing to {shown_path(what)}, or has been killed there: this file system has no locks. "
            f"If no run is at work there, delete {shown_path(held)}."
        ) from None
    return lock


def _remove(partial: Path) -> None:
    with contextlib.suppress(OSError):  # it is not there, or it may not be removed
        if partial.is_file() or partial.is_symlink():
            partial.unlink()
