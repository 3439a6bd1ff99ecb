"""The results of training runs, each in a file in the run's folder: what was learnt, how, and how well it plays."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rat_envs.agents.learnt import FORMATS, MOST_BYTES
from rat_envs.arena.plan import file_hash
from rat_envs.engine.archive import read_archive
from rat_envs.engine.errors import CheckpointError, RatEnvsError, RecordError, shown_path
from rat_envs.engine.files import demand_outline, read_json

__all__ = ["CHECKPOINT", "FORMAT", "POLICY", "RESULT", "SEPARATE", "find_runs", "read_run"]

#: The files of a run by which it is known.
CHECKPOINT, POLICY, RESULT = "checkpoint.safetensors", "policy.safetensors", "result.json"
FORMAT = "rat-run/1"
#: What a result holds at least.
OUTLINE = {
    "format": str,
    "game": str,
    "config": {},
    "learner": str,
    "settings": {},
    "seed": int,
    "steps": int,
    "seconds": float,
    "policy_sha256": str,
    "versions": {str: str},
    "against": {str: {"mean_return": {"mean": float, "low": float, "high": float}, "games": int}},
}
#: What it may hold.
EXACT = {"before": float, "after": float}
#: What a saved policy says of a run that has no result yet.
TRAINING = {"training": {"learner": str, "steps": int, "seconds": float, "options": {"seed": int, "config": {}}}}
#: Options of a run that have arguments of their own on a command line, and no part in how it learns.
SEPARATE = frozenset({"game", "config", "folder", "seed", "minutes", "steps", "resume", "replace", "trust"})


def find_runs(places: Iterable[Path]) -> list[Path]:
    """The folders of runs in these folders: each of them, if it is one, and those below it, but for runs that were
    replaced.

    Raises:
        RecordError: there is no such folder, or no run in it.
    """
    found: list[Path] = []
    for place in places:
        if not place.is_dir():
            raise RecordError(f"There is no folder {shown_path(place)}: name one with runs.")
        before = len(found)
        for folder, folders, files in os.walk(place):
            if {CHECKPOINT, POLICY, RESULT} & {*files}:
                found.append(Path(folder))
                folders[:] = [each for each in folders if not each.startswith("previous")]
            folders.sort()
        if len(found) == before:
            raise RecordError(
                f"{shown_path(place)} holds no runs: name a folder in which rat-envs train has saved some."
            )
    return list(dict.fromkeys(found))


def read_run(folder: Path) -> dict[str, Any]:
    """What is known of the run in a folder: its result, with the ``folder`` and its ``state``. This is ``measured``;
    ``changed``, if it has been trained since; ``unmeasured``, with what its policy says of it; or ``damaged``, with the
    ``problem`` in a sentence.
    """
    try:
        known = _result(folder) if (folder / RESULT).exists() else _unmeasured(folder)
    except (RatEnvsError, OSError) as error:
        known = {"state": "damaged", "problem": " ".join(str(error).split())}
    return {"folder": str(folder), **known}


def _result(folder: Path) -> dict[str, Any]:
    path = folder / RESULT
    found: dict[str, Any] = read_json(path, "result of a run", kind=RecordError)
    exact = {"exploitability": EXACT} if isinstance(found, dict) and "exploitability" in found else {}
    try:
        demand_outline(found, {**OUTLINE, **exact})
    except ValueError as error:
        raise RecordError(f"{shown_path(path)} is damaged ({error}): train with --resume measures again.") from None
    if found["format"] != FORMAT:
        raise RecordError(f"{shown_path(path)} is not of format {FORMAT}: train with --resume measures again.")
    policy = folder / POLICY
    same = not policy.exists() or file_hash(policy) == found["policy_sha256"]
    return {"state": "measured" if same else "changed", **found}


def _unmeasured(folder: Path) -> dict[str, Any]:
    path = folder / POLICY
    header, _ = read_archive(path, tuple(FORMATS), "policy", MOST_BYTES)
    try:
        demand_outline(header, TRAINING)
    except ValueError as error:
        raise CheckpointError(f"{shown_path(path)} does not say how it was trained ({error}).") from None
    training: Mapping[str, Any] = header["training"]
    options: Mapping[str, Any] = training["options"]
    return {
        "state": "unmeasured",
        "game": str(header["game"]),
        "config": header["config"],
        "learner": training["learner"],
        "settings": {name: value for name, value in options.items() if name not in SEPARATE},
        "seed": options["seed"],
        "steps": training["steps"],
        "seconds": training["seconds"],
    }
