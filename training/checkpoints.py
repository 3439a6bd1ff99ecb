"""Everything a training run is, in one file that cannot execute code: saved whole, restored exactly."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from rat_envs.agents.learnt import check_game
from rat_envs.engine.archive import read_archive, write_archive
from rat_envs.engine.errors import CheckpointError
from rat_envs.engine.registry import get_game
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

FORMAT = "rat-training/4"
CHECKPOINT = "checkpoint.safetensors"
#: What ``torch.optim.Adam`` remembers of a parameter.
KEPT_BY_ADAM = ("step", "exp_avg", "exp_avg_sq")


def save_checkpoint(run: Run) -> None:
    """Write the run's checkpoint; the one before stays whole until this one is complete."""
    write_archive(run.folder / CHECKPOINT, *_contents(run))


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
    }
    random = {"torch_random": torch.get_rng_state().numpy(), "numpy_random": np.asarray(key)}
    return header, {**arrays, **random}


def load_checkpoint(path: Path, learner: str, game: str | None = None) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a checkpoint.

    Raises:
        CheckpointError: there is none, it is damaged, or it is of another learner, another game or another version.
    """
    header, arrays = read_archive(path, FORMAT, "checkpoint")
    check_game(path, "checkpoint", header, game)
    if header.get("learner") != learner:
        found = header.get("learner")
        raise CheckpointError(f"{path} is of the learner {found!r}, not {learner!r}: resume with the same.")
    return header, arrays


def restore(run: Run, path: Path) -> None:
    """Make ``run``, which has been built with the same options, what it was when it was saved.

    Raises:
        CheckpointError: the checkpoint cannot be read, or belongs to a run with other options.
    """
    header, arrays = load_checkpoint(path, run.options.LEARNER, run.options.game)
    try:
        _check_options(run, header["options"], path)
        _check_types(_contents(run)[1], arrays)
        counters = header["counters"]
        run.set_state(header, arrays, counters["steps"])
        run.updates, run.seconds = counters["updates"], counters["seconds"]
        run.evaluations = [Evaluation(**values) for values in header["evaluations"]]
        legacy, *rest = header["numpy_random"]
        np.random.set_state((legacy, arrays["numpy_random"], *rest))
        torch.set_rng_state(torch.from_numpy(arrays["torch_random"]))
    except CheckpointError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, RuntimeError, ArithmeticError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise CheckpointError(f"{path} does not fit together, it must have been damaged or edited: {reason}.") from None


def _check_options(run: Run, saved: Mapping[str, Any], path: Path) -> None:
    """Whatever shapes the learning must be as it was; budgets and the like may change."""
    now = dataclasses.asdict(run.options)
    make = get_game(run.options.game).configuration.make
    now, saved = ({**each, "config": make(each["config"]).to_dict()} for each in (now, saved))
    for name in sorted(set(now) | set(saved)):
        before, after = saved.get(name), now.get(name)
        before = tuple(before) if isinstance(before, list) else before
        if name not in run.options.FREE and before != after:
            raise CheckpointError(f"{path} was trained with {name}={before!r}, not {after!r}: resume with the same.")


def _check_types(own: Mapping[str, np.ndarray], saved: Mapping[str, np.ndarray]) -> None:
    """Each array that a run has from its beginning must have been saved as numbers of the same type.

    Raises:
        KeyError, ValueError: one is missing, or of another type.
    """
    for name, array in own.items():
        if saved[name].dtype != array.dtype:
            raise ValueError(f"the array {name} is of {saved[name].dtype}, not {array.dtype}")


def parameters_of(module: torch.nn.Module) -> dict[str, np.ndarray]:
    """The parameters and buffers of a module by name."""
    return {name: tensor.cpu().numpy() for name, tensor in module.state_dict().items()}


def set_parameters(module: torch.nn.Module, arrays: Mapping[str, np.ndarray]) -> None:
    """Go on from :func:`parameters_of`."""
    module.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})


def optimiser_state(optimiser: torch.optim.Optimizer) -> dict[str, np.ndarray]:
    """What an optimiser remembers of each parameter, by its number and a name."""
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
        for name, kept in state[number].items():
            if (name != "step" and kept.shape != parameter.shape) or kept.dtype != parameter.dtype:
                raise ValueError(f"{name} of parameter {number} is {kept.dtype} of shape {tuple(kept.shape)}")
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})


def named(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays with ``prefix`` before their names."""
    return {f"{prefix}/{name}": array for name, array in arrays.items()}


def part(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays of :func:`named` again."""
    start = prefix + "/"
    return {name[len(start) :]: array for name, array in arrays.items() if name.startswith(start)}
