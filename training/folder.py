"""A run's folder: its files, ensuring that one run at a time writes there, and moving a run that is replaced."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from rat_envs.engine.errors import CheckpointError, is_of_closed_pipe, shown_path
from rat_envs.run_results import CHECKPOINT, POLICY, RESULT

__all__ = [
    "CURVE",
    "CURVE_DATA",
    "POLICY",
    "PREVIOUS",
    "TENSORBOARD",
    "UNTRAINED",
    "is_moved",
    "set_aside",
    "to_resume",
    "whole_files",
]

#: The files that a run writes, besides its checkpoint, its policy and its result.
UNTRAINED, CURVE = "untrained.safetensors", "curve.svg"
#: The file with the numbers in the picture.
CURVE_DATA = "curve.json"
TENSORBOARD = "tensorboard"
#: All files and folders that a run writes, in the order in which they are moved away: the checkpoint comes last.
WRITTEN = (RESULT, POLICY, UNTRAINED, CURVE, CURVE_DATA, TENSORBOARD, CHECKPOINT)
#: The folder to which a replaced run moves; one that was there before is deleted.
PREVIOUS = "previous"
#: The folder in which its files are collected until all have moved.
GATHERED = "previous.part"


def to_resume(folder: Path, resume: bool, replace: bool) -> bool:
    """Whether the run in ``folder`` should go on; False if a new one should begin there.

    A run that was killed before its first checkpoint begins again when it is resumed.

    Raises:
        CheckpointError: there is nothing to resume, or there is a run and ``replace`` is not given.
    """
    if resume and not folder.is_dir():
        raise CheckpointError(f"There is no run in {folder} to resume: start one there without --resume.")
    if resume and (folder / CHECKPOINT).exists():
        return True
    if resume and (old := (folder / CHECKPOINT).with_suffix(".npz")).exists():
        raise CheckpointError(f"{old} is of an earlier version and cannot be resumed: start anew without --resume.")
    if resume and (folder / POLICY).exists():
        raise CheckpointError(f"{folder} holds a policy and no checkpoint to resume: --replace begins a new run there.")
    if not replace and any((folder / name).exists() for name in (CHECKPOINT, POLICY)):
        raise CheckpointError(
            f"{folder} holds a run: go on with it (--resume), replace it (--replace), or give another folder."
        )
    return False


def is_moved(file: Path, folder: Path) -> bool:
    """Whether :func:`set_aside` would move or delete a file, or already has."""
    home, folder = file.resolve().parent, folder.resolve()
    return (home == folder and file.name in WRITTEN) or home in (folder / PREVIOUS, folder / GATHERED)


def set_aside(folder: Path, written: Sequence[str] = WRITTEN) -> None:
    """Move the files of the run in ``folder`` to ``previous``, in place of those that were there.

    Until all have moved they are collected in another folder, where the next call finds them if this one is killed.

    Args:
        written: the names of all that a run writes, in the order in which they are moved.

    Raises:
        CheckpointError: one of these two is not a folder, or holds files that no run writes, or a file cannot be moved,
            for example because it is open on Windows; the run is where it was.
    """
    gathered = folder / GATHERED
    names = [name for name in written if (folder / name).exists()]
    if not names and not gathered.is_dir():
        return
    for taken in (folder / PREVIOUS, gathered):
        if taken.exists() and not (taken.is_dir() and {each.name for each in taken.iterdir()}.issubset(written)):
            raise CheckpointError(f"{shown_path(taken)} is in the way of the run that is replaced: move it away.")
    moved: list[str] = []
    try:
        gathered.mkdir(exist_ok=True)
        for name in names:
            if (gathered / name).is_dir():
                shutil.rmtree(gathered / name)
            os.replace(folder / name, gathered / name)
            moved.append(name)
        shutil.rmtree(folder / PREVIOUS, ignore_errors=True)
        os.replace(gathered, folder / PREVIOUS)
    except OSError as error:
        raise CheckpointError(
            f"{shown_path(folder)} cannot be replaced ({error.strerror or error}), and {move_back(folder, moved)}: "
            "close what has its files open, such as TensorBoard."
        ) from error


def move_back(folder: Path, names: list[str]) -> str:
    """Move back what was gathered of a run; where the run is now."""
    with contextlib.suppress(OSError):
        for name in reversed(names):
            os.replace(folder / GATHERED / name, folder / name)
        with contextlib.suppress(OSError):  # a call that was killed has left something there
            (folder / GATHERED).rmdir()
        return "stays as it was"
    return f"{GATHERED} in it holds a part of the run"


@contextlib.contextmanager
def whole_files(folder: Path) -> Iterator[None]:
    """Turn a failure to write, as on a full disk, into a one-sentence error that says what is still saved.

    Raises:
        CheckpointError: raised in place of an ``OSError``.
    """
    try:
        yield
    except (ConnectionError, FileNotFoundError):  # the reader of the progress has gone, or a file to read is missing
        raise
    except OSError as error:
        if is_of_closed_pipe(error):
            raise
        place, reason = error.filename or folder, error.strerror or error
        raise CheckpointError(f"Writing {place} failed ({reason}): {what_is_saved(folder)}.") from error


def what_is_saved(folder: Path) -> str:
    """The state of a run of which something could not be written, in words."""
    if (folder / CHECKPOINT).exists():
        return "the files saved before are whole, and --resume goes on from there"
    for name in (GATHERED, PREVIOUS):
        if (folder / name).is_dir():
            return f"nothing had been saved before, and {folder / name} holds the run that was replaced"
    return "nothing had been saved before"
