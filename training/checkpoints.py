"""Everything a training run is, in one file that cannot execute code: saved whole, restored exactly."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from agents.archive import read_archive, write_archive
from agents.policy import check_game
from rat_envs.engine.errors import CheckpointError

if TYPE_CHECKING:
    from training.self_play import SelfPlay

__all__ = ["CHECKPOINT", "load_checkpoint", "restore", "save_checkpoint"]

FORMAT = "rat-training/1"
CHECKPOINT = "checkpoint.npz"


def save_checkpoint(run: SelfPlay) -> None:
    """Write the run's checkpoint; the one before stays whole until this one is complete."""
    model, games = run.model, run.games
    opponents, networks = run.pool.get_state(games.opponents)
    games_state = games.get_state()
    legacy, key, position, *gauss = np.random.get_state()
    optimiser = model.policy.optimizer.state_dict()["state"]
    header = {
        "format": FORMAT,
        "game": games.batch.game.name,
        "version": games.batch.game.version,
        "options": dataclasses.asdict(run.options),
        "counters": {
            "updates": run.updates,
            "steps": model.num_timesteps,
            "seconds": run.seconds,
            "gradient_epochs": model._n_updates,
        },
        "statistics": run.statistics.get_state(),
        "opponents": opponents,
        "games": {name: value for name, value in games_state.items() if name != "games"},
        "numpy_random": [legacy, int(position), *gauss],
    }
    arrays: dict[str, np.ndarray] = {
        **_named("parameters", {name: tensor.numpy() for name, tensor in model.policy.state_dict().items()}),
        **_named("optimiser", {f"{i}.{n}": t.numpy() for i, state in optimiser.items() for n, t in state.items()}),
        **_named("opponents", networks),
        "games": np.frombuffer(games_state["games"], np.uint8),
        "episode_starts": np.asarray(model._last_episode_starts, bool),
        "torch_random": torch.get_rng_state().numpy(),
        "numpy_random": np.asarray(key),
    }
    write_archive(run.folder / CHECKPOINT, header, arrays)


def load_checkpoint(path: Path, game: str | None = None) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a checkpoint.

    Raises:
        CheckpointError: there is none, it is damaged, or it is of another game or another version.
    """
    header, arrays = read_archive(path, FORMAT, "checkpoint")
    check_game(path, "checkpoint", header, game)
    return header, arrays


def restore(run: SelfPlay, path: Path) -> None:
    """Make ``run``, which has been built with the same options, what it was when it was saved.

    Raises:
        CheckpointError: the checkpoint cannot be read, or belongs to a run with other options.
    """
    header, arrays = load_checkpoint(path, run.options.game)
    try:
        _check_options(run, header["options"], path)
        _restore_model(run, header, arrays)
        playing = run.pool.set_state(header["opponents"], _part("opponents", arrays))
        run.games.set_state({**header["games"], "games": arrays["games"].tobytes()}, playing)
        run.model._last_obs = run.games.observations.copy()
        run.statistics.set_state(header["statistics"])
        run.updates, run.seconds = header["counters"]["updates"], header["counters"]["seconds"]
        legacy, *rest = header["numpy_random"]
        np.random.set_state((legacy, arrays["numpy_random"], *rest))
        torch.set_rng_state(torch.from_numpy(arrays["torch_random"]))
    except CheckpointError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, RuntimeError) as error:
        raise CheckpointError(f"{path} does not fit together, it must have been damaged or edited: {error}.") from None


def _restore_model(run: SelfPlay, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Parameters, optimiser and counters of the learner, and what it last saw."""
    model, policy = run.model, run.model.policy
    parameters = {name: torch.from_numpy(array) for name, array in _part("parameters", arrays).items()}
    policy.load_state_dict(parameters)
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in _part("optimiser", arrays).items():
        number, _, key = name.partition(".")
        state.setdefault(int(number), {})[key] = torch.from_numpy(array)
    groups = policy.optimizer.state_dict()["param_groups"]
    policy.optimizer.load_state_dict({"state": state, "param_groups": groups})
    model.num_timesteps = header["counters"]["steps"]
    model._n_updates = header["counters"]["gradient_epochs"]
    starts = arrays["episode_starts"]
    if starts.shape != (run.games.n,):
        raise ValueError(f"{starts.size} episode starts for {run.games.n} games")
    model._last_episode_starts = starts


def _check_options(run: SelfPlay, saved: Mapping[str, Any], path: Path) -> None:
    """Whatever shapes the learning must be as it was; budgets and the like may change."""
    now = dataclasses.asdict(run.options)
    make = run.games.batch.game.configuration.make
    now, saved = ({**each, "config": make(each["config"]).to_dict()} for each in (now, saved))
    for name in sorted(set(now) | set(saved)):
        before, after = saved.get(name), now.get(name)
        before = tuple(before) if isinstance(before, list) else before
        if name not in run.options.FREE and before != after:
            raise CheckpointError(f"{path} was trained with {name}={before!r}, not {after!r}: resume with the same.")


def _named(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {f"{prefix}/{name}": array for name, array in arrays.items()}


def _part(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    start = prefix + "/"
    return {name[len(start) :]: array for name, array in arrays.items() if name.startswith(start)}
