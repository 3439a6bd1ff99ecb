"""Checkpoints: the whole state of a training run in one file that cannot execute code, restored exactly."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from rat_envs.agents.learnt import check_game
from rat_envs.engine.archive import demand_finite, read_archive, write_archive
from rat_envs.engine.configuration import is_whole_number
from rat_envs.engine.errors import CheckpointError, reason_of, shown, shown_name, shown_path
from rat_envs.engine.files import demand_outline
from rat_envs.engine.registry import get_game
from rat_envs.run_results import CHECKPOINT
from rat_envs.training.evaluation import Evaluation

if TYPE_CHECKING:
    from rat_envs.training.run import Run

__all__ = [
    "CHECKPOINT",
    "load_checkpoint",
    "named",
    "optimiser_state",
    "parameters_of",
    "part",
    "restore",
    "save_checkpoint",
    "set_optimiser",
    "set_parameters",
]

FORMAT = "rat-training/10"
#: The keys of a header, besides the learner's own.
OUTLINE = {
    "options": {"config": dict},
    "counters": {"updates": int, "steps": int, "seconds": float},
    "evaluations": [{"updates": int, "steps": int, "seconds": float, "returns": {str: [float]}}],
    "numpy_random": [],
    "files": {str: str},
}
#: The largest number of steps or seconds of a run.
MOST_COUNTED = 2**53
#: Prefixes of arrays of frozen networks, of which a run has more and more.
GROWING = ("opponents/", "pool/")
#: What ``torch.optim.Adam`` keeps for a parameter.
KEPT_BY_ADAM = ("step", "exp_avg", "exp_avg_sq")


def save_checkpoint(run: Run) -> None:
    """Write the run's checkpoint; the previous one stays whole until this one is complete.

    Raises:
        CheckpointError: numbers are no longer finite, so the run cannot go on; the previous checkpoint stays.
    """
    path, (header, arrays) = run.folder / CHECKPOINT, _contents(run)
    demand_finite(path, arrays)
    write_archive(path, header, arrays)


def _contents(run: Run) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of the run's checkpoint."""
    state, arrays = run.get_state()
    game = get_game(run.options.game)
    legacy, key, position, *gauss = np.random.get_state()
    header = {
        **state,
        "format": FORMAT,
        "learner": run.options.LEARNER,
        "game": game.name,
        "version": game.version,
        "options": dataclasses.asdict(run.options),
        "counters": {"updates": run.updates, "steps": run.steps, "seconds": run.seconds},
        "evaluations": [dataclasses.asdict(each) for each in run.evaluations],
        "numpy_random": [legacy, int(position), *gauss],
        "files": run.files,
    }
    random = {"torch_random": torch.get_rng_state().numpy(), "numpy_random": np.asarray(key)}
    return header, {**arrays, **random}


def load_checkpoint(path: Path, learner: str, game: str | None = None) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a checkpoint.

    Raises:
        CheckpointError: there is none, it is damaged, or it belongs to another learner, another game or another
            version.
    """
    header, arrays = read_archive(path, FORMAT, "checkpoint")
    check_game(path, "checkpoint", header, game)
    if header.get("learner") != learner:
        found = header.get("learner")
        raise CheckpointError(
            f"{shown_path(path)} is of the learner {shown(found)}, not {learner!r}: resume with the same."
        )
    return header, arrays


def restore(run: Run, path: Path) -> None:
    """Bring ``run``, built with the same options, to the state in which it was saved.

    Raises:
        CheckpointError: the checkpoint cannot be read, or belongs to a run with other options.
    """
    header, arrays = load_checkpoint(path, run.options.LEARNER, run.options.game)
    try:
        demand_outline(header, OUTLINE)
        _check_options(run, header["options"], path)
        _check_files(run, header["files"], path)
        _check_arrays(_contents(run)[1], arrays)
        counters = header["counters"]
        if not all(0 <= count <= MOST_COUNTED for count in counters.values()):
            raise ValueError(f"counters are {shown(counters)}, not from 0 to {MOST_COUNTED:,}")
        run.set_state(header, arrays, counters["steps"])
        run.agent()  # raises if arrays do not fit together
        run.untrained()
        run.updates, run.seconds = counters["updates"], counters["seconds"]
        run.evaluations = [_evaluation_of(values) for values in header["evaluations"]]
        opponents = {tuple(each.returns) for each in run.evaluations}
        if len(opponents) > 1 or () in opponents:
            raise ValueError("evaluations are not all against the same opponents")
        legacy, position, *rest = header["numpy_random"]
        if not is_whole_number(position, 0, len(arrays["numpy_random"])):
            raise ValueError(f"the random numbers are at {shown(position)}")  # numpy would accept it
        np.random.set_state((legacy, arrays["numpy_random"], position, *rest))
        torch.set_rng_state(torch.from_numpy(arrays["torch_random"]))
    except CheckpointError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RuntimeError, ArithmeticError) as error:
        raise CheckpointError(
            f"{shown_path(path)} does not fit together, it must have been damaged or edited: {reason_of(error)}."
        ) from None


def _check_options(run: Run, saved: Mapping[str, Any], path: Path) -> None:
    """Refuse changes of options that affect learning; budgets and the like may change."""
    now = dataclasses.asdict(run.options)
    make = get_game(run.options.game).configuration.make
    now, saved = ({**each, "config": make(each["config"]).to_dict()} for each in (now, saved))
    for name in sorted(set(now) | set(saved)):
        before, after = saved.get(name), now.get(name)
        before = tuple(before) if isinstance(before, list) else before
        if name in run.options.FILES and isinstance(before, str) and Path(before).name == Path(str(after)).name:
            continue
        if name not in run.options.FREE and before != after:
            before, after = _difference(before, after)
            raise CheckpointError(
                f"{shown_path(path)} was trained with {shown_name(name)}={shown(before)}, not {shown(after)}: "
                "resume with the same."
            )


def _check_files(run: Run, saved: Mapping[str, str], path: Path) -> None:
    """Refuse changed files of agents that play against the learner or are imitated."""
    for name, digest in saved.items():
        if run.files.get(name) != digest:
            raise CheckpointError(
                f"{shown_path(path)} was trained with another {shown_path(name)}, whose file had the SHA-256 "
                f"{shown_name(digest)}: resume with that file, or begin anew with --replace."
            )


def _difference(before: Any, after: Any) -> tuple[Any, Any]:
    """Two values without their common parts, so an error shows only the difference."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return before, after
    absent = object()
    names = [name for name in {**before, **after} if before.get(name, absent) != after.get(name, absent)]
    before, after = ({name: each[name] for name in names if name in each} for each in (before, after))
    return before, after


def _check_arrays(own: Mapping[str, np.ndarray], saved: Mapping[str, np.ndarray]) -> None:
    """Check the arrays of a checkpoint. Each array that a run has from its beginning must be there with the same dtype
    and shape, and finite numbers; frozen networks may have added more.

    Raises:
        KeyError, ValueError: an array is missing, or is different.
    """
    for name, array in own.items():
        first = 1 if name.startswith(GROWING) else 0
        found = saved[name]
        if (found.dtype, found.ndim, found.shape[first:]) != (array.dtype, array.ndim, array.shape[first:]):
            raise ValueError(
                f"the array {name} is of {found.dtype} and shape {shown(found.shape)}, not {array.dtype} and "
                f"{array.shape}"
            )
        if name.endswith("columns") and (found != array).any():
            raise ValueError(f"the array {name} names other numbers of an observation")
    for name, array in saved.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"the array {shown_name(name)} holds numbers that are not finite")


def _evaluation_of(values: Mapping[str, Any]) -> Evaluation:
    """An evaluation from its saved values.

    Raises:
        TypeError, ValueError: a value is missing or superfluous.
    """
    found = Evaluation(**values)
    if found.exploitability is not None:
        demand_outline(found.exploitability, float, "an exploitability")
    if any(len(bounds) != 3 for bounds in found.returns.values()):
        raise ValueError("an evaluation has returns without their two bounds")
    numbers = [found.updates, found.steps, found.seconds, *itertools.chain(*found.returns.values())]
    if not all(abs(number) <= MOST_COUNTED for number in numbers):
        raise ValueError("an evaluation has numbers beyond all bounds")
    return found


def parameters_of(module: torch.nn.Module) -> dict[str, np.ndarray]:
    """The parameters and buffers of a module by name."""
    return {name: tensor.cpu().numpy() for name, tensor in module.state_dict().items()}


def set_parameters(module: torch.nn.Module, arrays: Mapping[str, np.ndarray]) -> None:
    """Go on from :func:`parameters_of`."""
    module.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})


def optimiser_state(optimiser: torch.optim.Optimizer) -> dict[str, np.ndarray]:
    """The state of an optimiser for each parameter, by its number and a name."""
    state = optimiser.state_dict()["state"]
    return {f"{number}.{name}": tensor.cpu().numpy() for number, kept in state.items() for name, tensor in kept.items()}


def set_optimiser(optimiser: torch.optim.Optimizer, arrays: Mapping[str, np.ndarray]) -> None:
    """Go on from :func:`optimiser_state`.

    Raises:
        KeyError, ValueError: something is missing, or is not of its parameter's shape and type.
    """
    state: dict[int, dict[str, torch.Tensor]] = {}
    parameters = [parameter for group in optimiser.param_groups for parameter in group["params"]]
    for number, parameter in enumerate(parameters if arrays else []):
        state[number] = {name: torch.from_numpy(arrays[f"{number}.{name}"]) for name in KEPT_BY_ADAM}
        if not (state[number]["step"] >= 0).all():
            raise ValueError(f"step of parameter {number} is below 0")
        for name, kept in state[number].items():
            if (name != "step" and kept.shape != parameter.shape) or kept.dtype != parameter.dtype:
                raise ValueError(f"{name} of parameter {number} is {kept.dtype} of shape {tuple(kept.shape)}")
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})


def named(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays with ``prefix`` before their names."""
    return {f"{prefix}/{name}": array for name, array in arrays.items()}


def part(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays with ``prefix``, without it in their names: the reverse of :func:`named`."""
    start = prefix + "/"
    return {name[len(start) :]: array for name, array in arrays.items() if name.startswith(start)}
