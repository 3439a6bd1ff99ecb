"""Training runs of seconds, for each learner, and what to look for in their folders."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sb3_contrib")

from rat_envs.engine.archive import read_archive, write_archive
from rat_envs.engine.errors import CheckpointError
from rat_envs.training.checkpoints import CHECKPOINT, FORMAT
from rat_envs.training.fitted_values import LookaheadOptions
from rat_envs.training.maskable_ppo import MaskablePPOOptions
from rat_envs.training.ppo import PPOOptions
from rat_envs.training.run import RunOptions, train
from rat_envs.training.search_learner import SearchLearnerOptions


@dataclass(frozen=True)
class Learner:
    """A learner and how little it is asked to do.

    Attributes:
        kind: its options.
        few: those that make a run short.
        steps_of_update: of one update with these.
        weights: an array of its checkpoints that depends on the seed.
        refused: options of the game that it cannot learn, and what it says of them.
    """

    kind: type[RunOptions]
    few: Mapping[str, Any]
    steps_of_update: int
    weights: str
    refused: tuple[Mapping[str, Any], str]

    def tiny(self, folder: str | Path, updates: float = 6, **changes: Any) -> Any:
        """A run of so many updates, which saves itself every other one."""
        shared = {
            "folder": str(folder),
            "minutes": None,
            "checkpoint_interval": 2,
            "evaluations": 0,
            "tensorboard": False,
        }
        return self.kind(**{**shared, "steps": self.steps(updates), **self.few, **changes})

    def steps(self, updates: float) -> int:
        """The steps of so many updates."""
        return int(updates * self.steps_of_update)


MASKABLE_PPO = Learner(
    kind=MaskablePPOOptions,
    few={
        "num_games": 8,
        "steps_per_update": 8,
        "minibatch": 32,
        "epochs": 2,
        "hidden": (16,),
        "history": 3,
        "opponents": {"random": 0.2},
        "latest_share": 0.4,
        "average_share": 0.5,
        "imitation_steps": 2 * 8 * 8,
    },
    steps_of_update=8 * 8,
    weights="parameters/action_net.weight",
    refused=({"hands": "none"}, "hands"),
)

LOOKAHEAD = Learner(
    kind=LookaheadOptions,
    few={
        "config": {"fast": True},
        "num_games": 64,
        "fits_per_update": 4,
        "hidden": (16, 16),
        "crossed": ("own_hand", "opponent_cards"),
        "threads": 1,
    },
    steps_of_update=64 * 4,
    weights="mean/first.weight",
    refused=({"draw_pile": True}, "draw_pile"),
)

PPO = Learner(
    kind=PPOOptions,
    few={
        "num_games": 8,
        "steps_per_update": 8,
        "minibatch": 32,
        "epochs": 2,
        "hidden": (16,),
        "history": 3,
        "device": "cpu",  # where equal seeds give equal bytes
    },
    steps_of_update=8 * 8,
    weights="parameters/actor.0.weight",
    refused=({"hands": "none"}, "hands"),
)

SEARCH = Learner(
    kind=SearchLearnerOptions,
    few={
        "num_games": 8,
        "steps_per_update": 8,
        "sims": 8,
        "memory": 3,
        "minibatch": 32,
        "hidden": (16,),
        "teacher": "random",
        "teacher_steps": 2 * 8 * 8,
    },
    steps_of_update=8 * 8,
    weights="parameters/actor.0.weight",
    refused=({"hands": "none"}, "hands"),
)

LEARNERS = {"ppo": PPO, "maskable_ppo": MASKABLE_PPO, "lookahead": LOOKAHEAD, "search": SEARCH}


def checkpoint(folder: str | Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is in the checkpoint of a run."""
    return read_archive(Path(folder) / CHECKPOINT, FORMAT, "checkpoint")


def learnt(folder: str | Path) -> dict[str, bytes]:
    """All that a run's checkpoint holds but how long it took."""
    header, arrays = checkpoint(folder)
    for times in (header["counters"], *header["evaluations"]):
        times.pop("seconds")
    header.pop("options")
    return {"header": json.dumps(header).encode(), **{name: array.tobytes() for name, array in arrays.items()}}


def updates_saved(folder: str | Path) -> int:
    """How many updates the checkpoint of a run has seen."""
    return checkpoint(folder)[0]["counters"]["updates"]


def edit(folder: str | Path, without: str | None = None, **changes: Any) -> None:
    """Change values of a checkpoint, or leave out an array."""
    header, arrays = checkpoint(folder)
    kept = {name: array for name, array in arrays.items() if name != without}
    write_archive(Path(folder) / CHECKPOINT, {**header, **changes}, kept)


def refusal(options: RunOptions) -> str:
    """The one sentence with which a resumption is refused."""
    with pytest.raises(CheckpointError) as error:
        train(options)
    assert "\n" not in str(error.value)
    return str(error.value)
