"""A run's folder: what lies in it, that one run at a time writes there, and what becomes of a run that is replaced."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from rat_envs.engine.errors import CheckpointError, is_of_closed_pipe, shown_path
from rat_envs.training.checkpoints import CHECKPOINT

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

#: What a run writes, beside its checkpoint.
POLICY, UNTRAINED, CURVE = "policy.safetensors", "untrained.safetensors", "curve.svg"
#: The numbers in the picture.
CURVE_DATA = "curve.json"
TENSORBOARD = "tensorboard"
#: All that a run writes, in the order in which it is put aside: what it can go on from comes last.
WRITTEN = (POLICY, UNTRAINED, CURVE, CURVE_DATA, TENSORBOARD, CHECKPOINT)
#: Where a run goes that is replaced; the one that was there before is deleted.
PREVIOUS = "previous"
#: Where its files gather until all have moved.
GATHERED = "previous.part"


def to_resume(folder: Path, resume: bool, replace: bool) -> bool:
    """Whether the run in ``folder`` is to go on; False if one is to begin there.

    A run that was killed before its first checkpoint begins again when it is resumed.

    Raises:
        CheckpointError: there is nothing to resume, or a run that is not to be replaced.
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


def set_aside(folder: Path) -> None:
    """Move the files of the run in ``folder`` to ``previous``, in place of those that were there.

    Until all have moved they gather in another folder, where the next call finds them if this one is killed.

    Raises:
        CheckpointError: one of these two is no folder, or holds what no run writes, or a file cannot be moved, as one
            that is open on Windows; the run is where it was.
    """
    gathered = folder / GATHERED
    names = [name for name in WRITTEN if (folder / name).exists()]
    if not names and not gathered.is_dir():
        return
    for taken in (folder / PREVIOUS, gathered):
        if taken.exists() and not (taken.is_dir() and {each.name for each in taken.iterdir()}.issubset(WRITTEN)):
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
    """Say in one sentence that writing failed, as on a full disk, and that nothing is lost that was saved before.

    Raises:
        CheckpointError: in place of an ``OSError``.
    """
    try:
        yield
    except (ConnectionError, FileNotFoundError):  # whoever reads the progress has gone; something to read is missing
        raise
    except OSError as error:
        if is_of_closed_pipe(error):
            raise
        place, reason = error.filename or folder, error.strerror or error
        raise CheckpointError(f"Writing {place} failed ({reason}): {what_is_saved(folder)}.") from error


def what_is_saved(folder: Path) -> str:
    """Where a run stands of which something could not be written."""
    if (folder / CHECKPOINT).exists():
        return "the files saved before are whole, and --resume goes on from there"
    for name in (GATHERED, PREVIOUS):
        if (folder / name).is_dir():
            return f"nothing had been saved before, and {folder / name} holds the run that was replaced"
    return "nothing had been saved before"
