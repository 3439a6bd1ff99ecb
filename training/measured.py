"""What is kept of a run that has been measured: all that it takes to know, later and elsewhere, what was measured."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rat_envs.arena.folder import versions
from rat_envs.arena.plan import file_hash
from rat_envs.engine.archive import write_file
from rat_envs.engine.errors import CheckpointError, shown_path
from rat_envs.engine.folders import locked
from rat_envs.engine.registry import get_game
from rat_envs.run_results import FORMAT, POLICY, RESULT, SEPARATE
from rat_envs.training.run import RunOptions

__all__ = ["about_run", "keep_result"]

#: The libraries that learn.
LIBRARIES = ("torch", "stable-baselines3", "sb3-contrib")


def about_run(options: RunOptions, policy: Path) -> dict[str, Any]:
    """What was trained, how and with what, as plain values for JSON.

    Args:
        policy: the file of what was learnt.
    """
    game = get_game(options.game)
    settings = {name: value for name, value in dataclasses.asdict(options).items() if name not in SEPARATE}
    preset = {} if options.position is None else {"preset": options.position}
    return {
        "format": FORMAT,
        "game": game.name,
        "game_version": game.version,
        "config": game.configuration.make(options.config).to_dict(),
        **preset,
        "learner": options.LEARNER,
        "settings": settings,
        "seed": options.seed,
        "budget": {"minutes": options.minutes, "steps": options.steps},
        "policy_sha256": file_hash(policy),
        "versions": {**versions(), **{name: importlib.metadata.version(name) for name in LIBRARIES}},
        "command": shlex.join(["rat-envs", *sys.argv[1:]]),
    }


def keep_result(options: RunOptions, report: Mapping[str, Any]) -> None:
    """Write what was measured into the run's folder, in place of what was measured there before.

    Raises:
        CheckpointError: another run is writing there, or has trained on in the meantime.
    """
    place = options.place
    with locked(place):
        if file_hash(place / POLICY) != report["policy_sha256"]:
            raise CheckpointError(
                f"{shown_path(place)} holds another policy by now, which another command has trained: this result is "
                "not kept there."
            )
        write_file(place / RESULT, f"{json.dumps(report, indent=1)}\n".encode())
