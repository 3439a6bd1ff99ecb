"""How a policy was trained, so that its training can be repeated: in one run, or in several that began with each
other's policies."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_type_hints

from rat_envs.agents.learnt import FORMATS, MOST_BYTES
from rat_envs.agents.shipped import FOLDER
from rat_envs.engine.archive import read_archive
from rat_envs.engine.errors import CheckpointError, reason_of, shown_path
from rat_envs.engine.files import demand_outline
from rat_envs.engine.game import Game

__all__ = ["TRAINING", "again", "company", "own_settings", "train_command", "trainings_of"]

#: The names of opponents that are not agents.
CALLED = {"frozen": "earlier selves"}
#: A run that took a smaller part of its minutes was ended by hand; its steps say when.
ENDED = 0.95
#: The keys and types of a policy's notes on its training.
TRAINING = {"options": {"seed": int, "minutes": float, "config": {}}, "learner": str, "steps": int, "seconds": float}


def train_command(game: Game, training: Mapping[str, Any]) -> str:
    """The command that trains a policy again.

    Args:
        training: one of :func:`trainings_of`.
    """
    options = training["options"]
    said = [f"{name}={json.dumps(value)}" for name, value in settings_to_say(game, training).items()]
    default = game.configuration.make(None).to_dict()
    config = {name: value for name, value in options["config"].items() if default[name] != value}
    words = ["rat-envs", "train", game.name, *(f"{name}={value}" for name, value in config.items())]
    words += ["--learner", training["learner"], "--minutes", f"{options['minutes']:g}"]
    words += ["--steps", str(training["steps"])] if was_ended(training) else []
    words += ["--seed", str(options["seed"])]
    words += [word for setting in said for word in ("--set", setting)]
    return shlex.join([*words, "--folder", training["folder"]])


def settings_to_say(game: Game, training: Mapping[str, Any]) -> dict[str, Any]:
    """The training's own settings that a command has to name."""
    own = own_settings(training)
    named: dict[str, Any] = {}
    while True:  # some settings change the recommended values of others
        options = json.loads(json.dumps(asdict(training_options(game, training["learner"], named))))
        differing = {name: value for name, value in own.items() if name not in named and options[name] != value}
        if not differing:
            return named
        named |= differing


def company(training: Mapping[str, Any]) -> str:
    """The agents that a learner imitated and met, and its rewards beside the result of the game, in words; empty if
    there were none.

    Args:
        training: one of :func:`trainings_of`.
    """
    options, said = training["options"], []
    if options.get("teacher_steps"):
        said.append(f"imitated `{options['teacher']}` at first, for at most {options['teacher_steps']:,} decisions")
    others = [f"{CALLED.get(name, f'`{name}`')} in {part:.0%}" for name, part in options.get("opponents", {}).items()]
    if others:
        said.append(f"met {' and '.join(others)} of its games".replace("%", " %"))
    if options.get("margin_weight"):
        said.append(f"in each advantage leads in points had the weight {options['margin_weight']}")
    return "; ".join(said)


def again(game: Game, training: Mapping[str, Any], minutes: float | None = None) -> Any:
    """Options of a run that trains a policy again, or goes on after an interruption.

    Args:
        training: one of :func:`trainings_of`.
        minutes: the time in place of the original one.
    """
    options = training["options"]
    limits = {"minutes": options["minutes"], "steps": training["steps"] if was_ended(training) else None}
    return training_options(
        game,
        training["learner"],
        own_settings(training),
        config=dict(options["config"]),
        folder=training["folder"],
        seed=options["seed"],
        resume=Path(training["folder"]).is_dir(),
        **(limits if minutes is None else {"minutes": minutes}),
    )


def training_options(game: Game, learner: str, settings: Mapping[str, Any], **others: Any) -> Any:
    """Options of a learner, with settings from JSON and others in place of a game's recommended ones."""
    from rat_envs.training.fitting import fitted
    from rat_envs.training.recommended import options_of, recommended_options

    types = get_type_hints(options_of(learner))
    fitting = {name: fitted(value, types[name]) for name, value in settings.items()}
    return recommended_options(learner, game.name, **fitting, **others)


def own_settings(training: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a training that affect how it learns, not where or for how long."""
    from rat_envs.training.recommended import options_of

    left_out = {*options_of(training["learner"]).FREE, "game", "config", "seed"}
    return {name: value for name, value in training["options"].items() if name not in left_out}


def was_ended(training: Mapping[str, Any]) -> bool:
    """Whether it was ended by hand, before its minutes were over; then its steps say when."""
    ended: bool = training["seconds"] < ENDED * 60 * training["options"]["minutes"]
    return ended


def trainings_of(policy: Path, folder: Path) -> list[dict[str, Any]]:
    """The training of a policy, and before it that of the policy it began with, unless that one has its own card.

    Args:
        folder: the folder of its run.
    """
    training = training_of(policy)
    begun_with = training["options"].get("begin_with", "")
    earlier = Path(begun_with)
    has_card = earlier.resolve().parent == FOLDER.resolve()
    before = [] if not begun_with or has_card else trainings_of(earlier, earlier.parent)
    return [*before, {**training, "folder": str(folder)}]


def training_of(policy: Path) -> Mapping[str, Any]:
    """How a policy was trained.

    Raises:
        CheckpointError: the file is not a policy, or has no notes on its training.
    """
    training: Any = read_archive(policy, tuple(FORMATS), "policy", MOST_BYTES)[0].get("training")
    try:
        demand_outline(training, TRAINING, "its training")
    except ValueError as error:
        raise CheckpointError(f"{shown_path(policy)} cannot be shipped: {reason_of(error)}.") from None
    return training
