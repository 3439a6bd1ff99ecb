"""The trained policies that come with the package: found by the name ``learnt``, chosen by the number of players."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np

from rat_envs import policies
from rat_envs.agents.learnt import LearntAgent, load_policy
from rat_envs.agents.policy import Networks, PolicyAgent
from rat_envs.api.agent import Agent
from rat_envs.api.seats import SeatViews
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import CheckpointError
from rat_envs.engine.game import Game
from rat_envs.engine.registry import command_name

__all__ = [
    "FOLDER",
    "LEARNT",
    "ShippedAgent",
    "can_guide",
    "deciding_file",
    "has_policy",
    "shipped_file",
    "shipped_policy",
]

#: The agent's name.
LEARNT = "learnt"
FOLDER = Path(policies.__file__).parent


def policy_files(game: Game) -> dict[int, Path]:
    """The policies that come with the package, by number of players."""
    return {int(path.stem.rpartition("-")[2]): path for path in FOLDER.glob(f"{game.name}-[0-9].safetensors")}


def has_policy(game: Game) -> bool:
    """Whether a trained policy of the game comes with the package."""
    return bool(policy_files(game))


def can_guide(game: Game, players: int) -> bool:
    """Whether there is a policy that can guide a search among this many players."""
    return has_policy(game) and isinstance(shipped_policy(game, players), PolicyAgent)


def shipped_file(game: Game, players: int) -> Path:
    """The file of the policy that was trained for this number of players, or for the nearest number.

    Raises:
        CheckpointError: none comes with the package for this game.
    """
    files = policy_files(game)
    if not files:
        raise CheckpointError(
            f"No trained policy of {game.name} comes with rat_envs: train one with rat-envs train "
            f"{command_name(game)} and name its file."
        )
    return files[min(files, key=lambda number: (abs(number - players), number))]


def deciding_file(game: Game, players: int) -> Path | None:
    """:func:`shipped_file`; None where no policy comes with the package."""
    return shipped_file(game, players) if has_policy(game) else None


@functools.cache
def shipped_policy(game: Game, players: int) -> LearntAgent:
    """The policy in :func:`shipped_file`."""
    policy: LearntAgent = load_policy(shipped_file(game, players), game)
    return policy


class ShippedAgent(Agent):
    """Plays by the trained policies that come with the package.

    Args:
        game: the game that it plays.
        seed: seed of its own random numbers.

    Raises:
        CheckpointError: there is none for this game, or only for another version of its rules.
    """

    name = LEARNT

    def __init__(self, game: Game, seed: int | None = None) -> None:
        super().__init__(seed)
        self.game = game
        shipped_policy(game, game.configuration.make(None).players)
        policies = [shipped_policy(game, players) for players in policy_files(game)]
        self.listens = any(policy.listens for policy in policies)
        self.recall = max(policy.recall for policy in policies)

    def demand_game(self, game: Game) -> None:
        """Refuse to play another game.

        Raises:
            CheckpointError: it is another game than the agent's, or another version of it.
        """
        shipped_policy(self.game, game.configuration.make(None).players).demand_game(game)

    def check(self, game: Game, configuration: Configuration) -> None:
        """Refuse what the policy for this number of players cannot play."""
        shipped_policy(self.game, configuration.players).check(game, configuration)

    def learnt_with(self, configuration: Configuration) -> dict[str, Any]:
        """The options that were others in the training of the policy for this number of players."""
        return shipped_policy(self.game, configuration.players).learnt_with(configuration)

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A) float64: the policies' probabilities."""
        return self._ask(views, "policy_batch", np.zeros(views.masks.shape))

    def value_batch(self, views: SeatViews) -> np.ndarray | None:
        """(n) float64: the returns that the policies expect; NaN where a policy gives none, None if no policy gives
        any."""
        values = self._ask(views, "value_batch", np.zeros(len(views)))
        return None if np.isnan(values).all() else values

    def guiding(self, players: int) -> Networks:
        """The network that can guide a search among this many players.

        Raises:
            ConfigurationError: it cannot guide one.
        """
        return shipped_policy(self.game, players).guiding(players)

    def _ask(self, views: SeatViews, question: str, answers: np.ndarray) -> np.ndarray:
        """Ask each policy about the games with its number of players, and join the answers."""
        for players in np.unique(views.players):
            chosen = np.flatnonzero(views.players == players)
            asked: Any = getattr(shipped_policy(self.game, int(players)), question)
            answers[chosen] = asked(views.only(chosen))
        return answers
