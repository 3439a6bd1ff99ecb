"""The trained policies that come with the package: how they are made, measured, and described on cards and a page."""

from __future__ import annotations

import json
import os
import platform
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from rat_envs.agents.learnt import FORMATS, MOST_BYTES, load_policy
from rat_envs.agents.shipped import FOLDER
from rat_envs.arena import play_match
from rat_envs.arena.folder import versions
from rat_envs.engine.archive import read_archive, write_archive, write_file
from rat_envs.engine.errors import CheckpointError, reason_of, shown_path
from rat_envs.engine.files import demand_outline, read_json
from rat_envs.engine.game import Game
from rat_envs.engine.registry import all_games
from rat_envs.ladder.rungs import settings

__all__ = [
    "RUNS",
    "SEED",
    "Shipped",
    "again",
    "all_shipped",
    "cards",
    "measure",
    "policies_page",
    "ship",
    "train_command",
    "trainings",
    "trainings_of",
]

SEED = 1
#: Where the runs are, in the folder where the command is given.
RUNS = Path("runs") / "policies"
#: The package's own policies, as a clone of the repository names them: their cards say how they were trained.
SHIPPED_HERE = Path("rat_envs") / "policies"
#: A run of a smaller part of its minutes was ended by hand: its steps say when.
ENDED = 0.95
FORMAT = "rat-policy-card/2"
#: What a policy says of its training.
TRAINING = {"options": {"seed": int, "minutes": float, "config": {}}, "learner": str, "steps": int, "seconds": float}
#: What the page shows of a card.
OUTLINE = {
    "learner": str,
    "steps": int,
    "minutes": float,
    "seed": int,
    "version": int,
    "machine": str,
    "versions": {"rat_envs": str},
    "trainings": [TRAINING],
    "results": [
        {"against": str, "games": int, "mean_return": {"mean": float, "low": float, "high": float}},
    ],
}
#: Whom a policy is measured against, and in how many games.
YARDSTICKS = {"random": 4000, "greedy": 4000, "ismcts:sims=100,rollout=greedy": 400}
#: Arrays that are most of a file: half of the precision does.
LARGE = ("crossed_table",)
#: How long a policy is trained for which there is no card yet.
MINUTES = 60.0

HEAD = """<!-- Written by `rat-envs policies` or `python -m rat_envs.docs` from the cards in rat_envs/policies. -->

# The trained policies

These policies come with the package. The agent `learnt` plays them, and `ismcts:policy=learnt` searches with them;
neither needs PyTorch. There is one for each setting of the [ladder](ladder.md); with another number of players,
`learnt` takes the policy for the nearest number. `rat-envs policies` gives these commands again, and measures the
policies anew.

The *mean return* is that of the policy in one seat, with the opponent in all others, with its 95 % interval: 0 is par.
"""


@dataclass(frozen=True)
class Shipped:
    """A policy that comes with the package.

    Attributes:
        game: what it plays.
        config: the options that are not the default.
        players: how many seats there are with these.
    """

    game: Game
    config: Mapping[str, Any]
    players: int

    @property
    def name(self) -> str:
        """Of its files and of its run."""
        return f"{self.game.name}-{self.players}"

    @property
    def learner(self) -> str:
        """What trains it: values and a round looked ahead where the game has settings for that."""
        return "lookahead" if "lookahead" in self.game.training else "ppo"


def all_shipped() -> Iterator[Shipped]:
    """One for each setting of the ladder."""
    for game in all_games().values():
        if game.ladder is not None:
            for config in settings(game):
                yield Shipped(game, config, game.configuration.make(config).players)


def train_command(game: Game, training: Mapping[str, Any]) -> str:
    """What trains a policy again.

    Args:
        training: one of :func:`trainings`.
    """
    options = training["options"]
    usual = json.loads(json.dumps(asdict(training_options(game, training["learner"], {}))))
    changed = [f"{name}={json.dumps(value)}" for name, value in own_settings(training).items() if usual[name] != value]
    default = game.configuration.make(None).to_dict()
    config = {name: value for name, value in options["config"].items() if default[name] != value}
    words = ["rat-envs", "train", game.name, *(f"{name}={value}" for name, value in config.items())]
    words += ["--learner", training["learner"], "--minutes", f"{options['minutes']:g}"]
    words += ["--steps", str(training["steps"])] if was_ended(training) else []
    words += ["--seed", str(options["seed"])]
    words += [word for setting in changed for word in ("--set", setting)]
    return shlex.join([*words, "--folder", training["folder"]])


def again(shipped: Shipped, training: Mapping[str, Any], minutes: float | None = None) -> Any:
    """Options of a run that trains a policy again, or goes on where it was interrupted.

    Args:
        training: one of :func:`trainings`.
        minutes: in place of those that it took.
    """
    options = training["options"]
    limits = {"minutes": options["minutes"], "steps": training["steps"] if was_ended(training) else None}
    return training_options(
        shipped.game,
        training["learner"],
        own_settings(training),
        config=dict(options["config"]),
        folder=training["folder"],
        seed=options["seed"],
        resume=Path(training["folder"]).is_dir(),
        **(limits if minutes is None else {"minutes": minutes}),
    )


def training_options(game: Game, learner: str, settings: Mapping[str, Any], **others: Any) -> Any:
    """Options of a learner, where settings, as JSON has them, and others differ from what a game recommends."""
    from rat_envs.training.recommended import options_of, recommended_options
    from rat_envs.training.settings import fitted

    types = get_type_hints(options_of(learner))
    fitting = {name: fitted(value, types[name]) for name, value in settings.items()}
    return recommended_options(learner, game.name, **fitting, **others)


def own_settings(training: Mapping[str, Any]) -> dict[str, Any]:
    """What a training's options say of how it learns, and not of where or how long."""
    from rat_envs.training.recommended import options_of

    left_out = {*options_of(training["learner"]).FREE, "game", "config", "seed"}
    return {name: value for name, value in training["options"].items() if name not in left_out}


def was_ended(training: Mapping[str, Any]) -> bool:
    """Whether it was ended by hand, before its minutes were over: then its steps say when."""
    ended: bool = training["seconds"] < ENDED * 60 * training["options"]["minutes"]
    return ended


def trainings_of(shipped: Shipped) -> list[dict[str, Any]]:
    """The trainings on the policy's card; if there is none, one with what the game recommends."""
    path = FOLDER / f"{shipped.name}.json"
    if path.exists():
        trained: list[dict[str, Any]] = read_card(path)["trainings"]
        return trained
    options = {"config": dict(shipped.config), "seed": SEED, "minutes": MINUTES}
    plan = {"learner": shipped.learner, "steps": 0, "seconds": 60 * MINUTES}
    return [{**plan, "options": options, "folder": str(RUNS / shipped.name)}]


def trainings(policy: Path, folder: Path) -> list[dict[str, Any]]:
    """How a policy was trained, and before that the one that it began with.

    Args:
        folder: of its run.
    """
    training = training_of(policy)
    earlier = Path(training["options"].get("begin_with", ""))
    before = [] if earlier.parent in (Path(), SHIPPED_HERE) else trainings(earlier, earlier.parent)
    return [*before, {**training, "folder": str(folder)}]


def training_of(policy: Path) -> Mapping[str, Any]:
    """How a policy was trained.

    Raises:
        CheckpointError: the file is no policy, or does not say so.
    """
    training: Any = read_archive(policy, tuple(FORMATS), "policy", MOST_BYTES)[0].get("training")
    try:
        demand_outline(training, TRAINING, "its training")
    except ValueError as error:
        raise CheckpointError(f"{shown_path(policy)} cannot be shipped: {reason_of(error)}.") from None
    return training


def measure(shipped: Shipped, agent: Any, progress: Callable[[int, int], None] | None = None) -> list[dict[str, Any]]:
    """The policy in one seat, and each yardstick in all others."""
    results = []
    for number, (yardstick, games) in enumerate(YARDSTICKS.items()):
        if progress is not None:
            progress(number, len(YARDSTICKS))
        seats = [agent, *[yardstick] * (shipped.players - 1)]
        match = play_match(shipped.game, seats, shipped.config, games, SEED).to_json()
        results.append(
            {"against": yardstick, "games": match["games"], "mean_return": match["agents"][0]["mean_return"]}
        )
    return results


def ship(shipped: Shipped, policy: Path, progress: Callable[[int, int], None] | None = None) -> None:
    """Put a policy into the package, measure it there, and write its card.

    Args:
        policy: its file, of :func:`~rat_envs.agents.learnt.save_policy`.
        progress: as for :func:`measure`.
    """
    header, arrays = read_archive(policy, tuple(FORMATS), "policy", MOST_BYTES)
    trained = trainings(policy, RUNS / shipped.name)
    training = trained[-1]
    small = {name: array.astype(np.float16) if name in LARGE else array for name, array in arrays.items()}
    path = FOLDER / f"{shipped.name}.safetensors"
    write_archive(path, header, small)
    results = measure(shipped, load_policy(path, shipped.game, SEED), progress)
    card = {
        "format": FORMAT,
        "game": shipped.game.name,
        "version": shipped.game.version,
        "config": dict(shipped.config),
        "players": shipped.players,
        "learner": training["learner"],
        "trainings": trained,
        "seed": training["options"]["seed"],
        "steps": training["steps"],
        "minutes": round(training["seconds"] / 60, 1),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "versions": versions(),
        "results": results,
    }
    write_file(FOLDER / f"{shipped.name}.json", (json.dumps(card, indent=1) + "\n").encode())


def cards() -> list[tuple[Shipped, dict[str, Any]]]:
    """The cards of the policies that are there."""
    found = [(shipped, FOLDER / f"{shipped.name}.json") for shipped in all_shipped()]
    return [(shipped, read_card(path)) for shipped, path in found if path.exists()]


def read_card(path: Path) -> dict[str, Any]:
    """The card of a policy.

    Raises:
        CheckpointError: the file holds something else.
    """
    card: dict[str, Any] = read_json(path, "card")
    try:
        demand_outline(card, OUTLINE)
    except ValueError as error:
        raise CheckpointError(f"{shown_path(path)} is no card: {reason_of(error)}; ship the policy anew.") from None
    return card


def policies_page() -> str:
    """The whole page in Markdown."""
    return "\n".join([HEAD, *(section(shipped, card) for shipped, card in cards())])


def section(shipped: Shipped, card: Mapping[str, Any]) -> str:
    """One policy."""
    rows = ["| against | games | mean return (95 %) |", "| --- | --- | --- |"]
    for result in card["results"]:
        mean = result["mean_return"]
        shown = f"{mean['mean']:+.3f} ({mean['low']:+.3f} … {mean['high']:+.3f})"
        rows.append(f"| {result['against']} | {result['games']:,} | {shown} |")
    return f"""## {shipped.game.title}, {shipped.players} players

Trained by `{card["learner"]}` on {card["steps"]:,} decisions in {card["minutes"]:g} minutes, seed {card["seed"]}, for
version {card["version"]} of the game, on {card["machine"]}, with rat_envs {card["versions"]["rat_envs"]}.

{chr(10).join(rows)}

```
{chr(10).join(train_command(shipped.game, training) for training in card["trainings"])}
```
"""
