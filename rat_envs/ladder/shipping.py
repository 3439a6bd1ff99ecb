"""The trained policies that come with the package: making and measuring them, and writing their cards and page."""

from __future__ import annotations

import json
import os
import platform
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rat_envs.agents.learnt import FORMATS, MOST_BYTES, load_policy
from rat_envs.agents.shipped import FOLDER
from rat_envs.arena import play_match
from rat_envs.arena.estimates import Estimate
from rat_envs.arena.folder import versions
from rat_envs.engine.archive import read_archive, write_archive, write_file
from rat_envs.engine.errors import CheckpointError, reason_of, shown_path
from rat_envs.engine.files import demand_outline, read_json
from rat_envs.engine.game import Game
from rat_envs.engine.registry import all_games
from rat_envs.ladder.rungs import settings
from rat_envs.ladder.trainings import TRAINING, company, train_command, trainings_of
from rat_envs.solving.exploitability import exploitability

__all__ = [
    "RUNS",
    "SEED",
    "Shipped",
    "all_shipped",
    "cards",
    "measure",
    "measure_again",
    "policies_page",
    "ship",
    "trainings_on_card",
]

SEED = 1
#: The folder of the runs, in the current folder of the command.
RUNS = Path("runs") / "policies"
FORMAT = "rat-policy-card/2"
#: The keys of a card that the page shows.
OUTLINE = {
    "learner": str,
    "steps": int,
    "minutes": float,
    "seed": int,
    "version": int,
    "machine": str,
    "versions": {"rat_envs": str},
    "trainings": [{**TRAINING, "folder": str, "command": str}],
    "exploitability": (float, type(None)),
    "results": [
        {"against": str, "games": int, "mean_return": {"mean": float, "low": float, "high": float}},
    ],
}
#: The agents against which a policy is measured, and the number of games.
YARDSTICKS = {"random": 4000, "greedy": 4000, "ismcts:sims=100,rollout=greedy": 400}
#: The steps of a learner in words, if they are not decisions.
STEPS = {"lookahead": "states, from each of which a round was looked ahead,"}
#: Arrays that are most of a file: they are saved in half precision.
LARGE = ("crossed_table",)
#: The training time in minutes of a policy without a card.
MINUTES = 60.0

HEAD = """<!-- Written by `rat-envs policies` or `python -m rat_envs.docs` from the cards in rat_envs/policies. -->

# The trained policies

These policies come with the package. The agent `learnt` plays them, and `ismcts:policy=learnt` searches with them;
neither needs PyTorch. There is one for each setting of the [ladder](ladder.md); with another number of players,
`learnt` takes the policy for the nearest number. `rat-envs policies` runs the commands below again, and measures the
policies anew; `rat-envs policies --measure` only measures them.

For each policy there are the agents that it imitated and met in each training run, its results, and the commands that
train it again. In all other games of its training it played every seat itself.

The *mean return* is that of the policy in one seat, with the opponent in all others, with its 95 % interval: 0 is par.
It is measured by `play_match(GAME, ["learnt", OPPONENT, …], OPTIONS, games=…, seed=1)` of `rat_envs.arena`.
Only the result of the game counts, also for policies that learnt from leads in points as well.
"""


@dataclass(frozen=True)
class Shipped:
    """A policy that comes with the package.

    Attributes:
        game: the game that it plays.
        config: the options that are not the default.
        players: the number of seats with these.
    """

    game: Game
    config: Mapping[str, Any]
    players: int

    @property
    def name(self) -> str:
        """The name of its files and of its run."""
        return f"{self.game.name}-{self.players}"

    @property
    def learner(self) -> str:
        """The learner that trains it, which is the one that the game recommends."""
        from rat_envs.training.recommended import recommended_learner

        return recommended_learner(self.game, self.game.configuration.make(self.config))


def all_shipped() -> Iterator[Shipped]:
    """One for each setting of the ladder."""
    for game in all_games().values():
        if game.ladder is not None:
            for config in settings(game):
                yield Shipped(game, config, game.configuration.make(config).players)


def trainings_on_card(shipped: Shipped) -> list[dict[str, Any]]:
    """The trainings on the policy's card; if there is none, one with the game's recommended settings."""
    path = FOLDER / f"{shipped.name}.json"
    if path.exists():
        trained: list[dict[str, Any]] = read_card(path)["trainings"]
        return trained
    options = {"config": dict(shipped.config), "seed": SEED, "minutes": MINUTES}
    plan = {"learner": shipped.learner, "steps": 0, "seconds": 60 * MINUTES}
    return [{**plan, "options": options, "folder": str(RUNS / shipped.name)}]


def measure(shipped: Shipped, agent: Any, progress: Callable[[int, int], None] | None = None) -> list[dict[str, Any]]:
    """Measure the policy in one seat against each yardstick in all others."""
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


def exactly(shipped: Shipped, agent: Any) -> float | None:
    """The policy's exploitability, if it can be computed for whole games."""
    if not shipped.game.configuration.make(shipped.config).is_public:
        return None
    return exploitability(shipped.game, agent, shipped.config).exploitability


def ship(shipped: Shipped, policy: Path, progress: Callable[[int, int], None] | None = None) -> None:
    """Put a policy into the package, measure it there, and write its card.

    Args:
        policy: its file, written by :func:`~rat_envs.agents.learnt.save_policy`.
        progress: as for :func:`measure`.
    """
    header, arrays = read_archive(policy, tuple(FORMATS), "policy", MOST_BYTES)
    trained = trainings_of(policy, RUNS / shipped.name)
    training = trained[-1]
    small = {name: array.astype(np.float16) if name in LARGE else array for name, array in arrays.items()}
    with tempfile.TemporaryDirectory() as folder:  # the old one is removed when the new one has been measured
        path = Path(folder) / policy.name
        write_archive(path, header, small)
        results = measure(shipped, load_policy(path, shipped.game, SEED), progress)
        exact = exactly(shipped, load_policy(path, shipped.game, SEED))
    card = {
        "format": FORMAT,
        "game": shipped.game.name,
        "version": shipped.game.version,
        "config": dict(shipped.config),
        "players": shipped.players,
        "learner": training["learner"],
        "trainings": [on_card(shipped.game, each) for each in trained],
        "seed": training["options"]["seed"],
        "steps": sum(each["steps"] for each in trained),
        "minutes": round(sum(each["seconds"] for each in trained) / 60, 1),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "versions": versions(),
        "exploitability": exact,
        "results": results,
    }
    write_archive(FOLDER / f"{shipped.name}.safetensors", header, small)
    write_file(FOLDER / f"{shipped.name}.json", (json.dumps(card, indent=1) + "\n").encode())


def on_card(game: Game, training: Mapping[str, Any]) -> dict[str, Any]:
    """A training in the form of a card: with the command that repeats it, and that command's folder."""
    options = {**training["options"], "folder": training["folder"]}
    return {**training, "options": options, "command": train_command(game, training)}


def measure_again(shipped: Shipped, progress: Callable[[int, int], None] | None = None) -> None:
    """Measure a policy that is in the package, and write the results on its card.

    Args:
        progress: as for :func:`measure`.

    Raises:
        CheckpointError: there is no such policy or card.
    """
    path = FOLDER / f"{shipped.name}.json"
    card = read_card(path)
    agent = load_policy(FOLDER / f"{shipped.name}.safetensors", shipped.game, SEED)
    card |= {"exploitability": exactly(shipped, agent), "results": measure(shipped, agent, progress)}
    write_file(path, (json.dumps(card, indent=1) + "\n").encode())


def cards() -> list[tuple[Shipped, dict[str, Any]]]:
    """The cards of all existing policies."""
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
        raise CheckpointError(f"{shown_path(path)} is not a card: {reason_of(error)}; ship the policy anew.") from None
    return card


def policies_page() -> str:
    """The whole page in Markdown."""
    return "\n".join([HEAD, *(section(shipped, card) for shipped, card in cards())])


def section(shipped: Shipped, card: Mapping[str, Any]) -> str:
    """The section of one policy."""
    rows = ["| against | games | mean return (95 %) |", "| --- | --- | --- |"]
    for result in card["results"]:
        rows.append(f"| {result['against']} | {result['games']:,} | {Estimate.of(result['mean_return']):+.3f} |")
    steps = f"{card['steps']:,} {STEPS.get(card['learner'], 'decisions')}"
    parts = [
        f"## {shipped.game.title}, {shipped.players} players",
        f"Trained by `{card['learner']}` on {steps} in {card['minutes']:g} minutes, {seeds(card['trainings'])}, for\n"
        f"version {card['version']} of the game, on {card['machine']}, with rat_envs {card['versions']['rat_envs']}.",
        beginnings(card["trainings"]),
        "\n".join(rows),
        exactness(shipped, card["exploitability"]),
        "\n".join(["```", *(training["command"] for training in card["trainings"]), "```"]),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def seeds(trainings: Sequence[Mapping[str, Any]]) -> str:
    """The seeds of a policy's training runs, without repetitions."""
    different = list(dict.fromkeys(str(each["options"]["seed"]) for each in trainings))
    return f"{'seeds' if len(different) > 1 else 'seed'} {', '.join(different)}"


def beginnings(trainings: Sequence[Mapping[str, Any]]) -> str:
    """The agents that the learner imitated and met in each of its runs: lines of a list, or nothing."""
    several = len(trainings) > 1
    lines = [(f"- run {number}: " if several else "- ", company(each)) for number, each in enumerate(trainings, 1)]
    return "\n".join(start + text for start, text in lines if text)


def exactness(shipped: Shipped, exact: float | None) -> str:
    """The sentence about an exploitability, with the command that computes it; empty if there is none."""
    if exact is None:
        return ""
    command = f"rat-envs exploit {shipped.game.name} --agent learnt"
    return f"Its exact [exploitability](solvers.md) is {exact:.4f} (`{command}`)."
