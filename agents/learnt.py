"""The base of all learnt agents: the game they were trained on, and files that cannot execute code."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rat_envs.api.agent import Agent
from rat_envs.engine.archive import demand_finite, hash_of, read_archive, write_archive
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import CheckpointError, ConfigurationError, reason_of, shown, shown_name, shown_path
from rat_envs.engine.files import MEBIBYTE, demand_outline, names_in_zip
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game

if TYPE_CHECKING:
    from rat_envs.agents.policy import Networks

__all__ = [
    "FORMATS",
    "MOST_BYTES",
    "LearntAgent",
    "check_game",
    "demand_loadable",
    "load_guide",
    "load_policy",
    "no_policy",
    "save_policy",
]

#: The most bytes of a file.
MOST_BYTES = 64 * MEBIBYTE
#: The keys of every header, besides those that the agent adds.
OUTLINE = {"config": dict, "observation_size": int, "actions": int, "training": dict}
#: Module and class of the agent in a file of each format.
FORMATS = {
    "rat-policy/2": ("rat_envs.agents.policy", "PolicyAgent"),
    "rat-lookahead/2": ("rat_envs.agents.lookahead", "LookaheadAgent"),
    "rat-recall/1": ("rat_envs.agents.recall", "RecallAgent"),
}


class LearntAgent(Agent):
    """An agent that was trained on one configuration of a game.

    Args:
        game: the game that it plays.
        config: the configuration it was trained on.
        training: how it was trained, as plain values.
        seed: seed of the agent's own random numbers.
    """

    name = "policy"
    #: The format of the agent's file, one of ``FORMATS``.
    form: ClassVar[str]

    def __init__(
        self,
        game: str | Game,
        config: Mapping[str, Any] | Configuration | None = None,
        training: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(seed)
        self.game = get_game(game)
        self.configuration = self.game.configuration.make(config)
        self.training = dict(training or {})

    def check(self, game: Game, configuration: Configuration) -> None:
        """Accept only its own game, in any configuration."""
        self.demand_game(game)

    def demand_game(self, game: Game) -> None:
        """Refuse to play another game.

        Raises:
            CheckpointError: it is another game than the agent's, or another version of it.
        """
        if game is not self.game:
            own, other = self.game.name, game.name
            if own == other:
                own, other = (f"version {each.version} of {each.name}" for each in (self.game, game))
            raise CheckpointError(f"This policy plays {own}, not {other}.")

    def learnt_with(self, configuration: Configuration) -> dict[str, Any]:
        """The options that were others in its training."""
        here = configuration.to_dict()
        return {name: value for name, value in self.configuration.to_dict().items() if value != here.get(name)}

    def guiding(self, players: int) -> Networks:
        """The one network that can guide a search among this many players; by default there is none.

        Raises:
            ConfigurationError: there is none; the error says why.
        """
        raise ConfigurationError("it is not a network that a search can ask.")

    def fingerprint(self) -> str:
        """A hash of what it has learnt."""
        return hash_of(*self.contents())

    def contents(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The agent's own contents of its file: plain values, and arrays by name."""
        raise NotImplementedError

    @classmethod
    def from_contents(
        cls, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray], game: Game, seed: int | None
    ) -> LearntAgent:
        """Make an agent from the contents of its file.

        Raises:
            ValueError, KeyError, TypeError: it does not fit together.
        """
        raise NotImplementedError


def demand_loadable(agent: LearntAgent) -> None:
    """Refuse an agent whose file would be too large to be loaded again.

    Raises:
        ConfigurationError: it would be.
    """
    size = sum(array.nbytes for array in agent.contents()[1].values())
    if size > MOST_BYTES:
        raise ConfigurationError(
            f"The policy's file would have {size / MEBIBYTE:,.0f} MiB, and at most {MOST_BYTES // MEBIBYTE} are read: "
            "smaller layers (hidden), or fewer of what is put together, make it smaller."
        )


def save_policy(path: str | Path, agent: LearntAgent) -> None:
    """Write the agent to ``path``, a safetensors file; an existing file stays whole until the new one is complete.

    Raises:
        ConfigurationError: it is not a learnt agent, or the file would be too large to be loaded again.
        CheckpointError: its numbers are not all finite.
    """
    if not isinstance(agent, LearntAgent):
        raise ConfigurationError(f"agent={shown(agent)}: must be a policy that load_policy or a learner gives.")
    demand_loadable(agent)
    values, arrays = agent.contents()
    demand_finite(path, arrays)
    header = {
        "format": agent.form,
        "game": agent.game.name,
        "version": agent.game.version,
        "config": agent.configuration.to_dict(),
        "observation_size": agent.game.observation.itemsize,
        "actions": len(agent.game.actions),
        "training": agent.training,
        **values,
    }
    write_archive(path, header, arrays)


def load_policy(
    path: str | Path, game: str | Game | None = None, seed: int | None = None, *, trust: bool = False
) -> Any:
    """A saved agent.

    Args:
        path: a file written by :func:`save_policy`; with ``trust`` also a zip file that Stable-Baselines3 saved.
        game: the game that it must be for; any, if not given.
        seed: seed of the agent's own random numbers.
        trust: load a file even if it may execute code of its author.

    Raises:
        CheckpointError: there is no such file; it is damaged, not a policy, or for another game or another version; or
            it needs ``trust``.
    """
    path = Path(path)
    members = names_in_zip(path)
    if "_stable_baselines3_version" in members:
        from rat_envs.agents.policy import load_stable_baselines3

        return load_stable_baselines3(path, game, trust, seed)
    if "header.npy" in members:
        old = f"{shown_path(path)} is an .npz file"
        raise CheckpointError(f"{old}, as policies were before {' and '.join(FORMATS)}: train anew.")
    header, arrays = read_archive(path, tuple(FORMATS), "policy", MOST_BYTES)
    found = check_game(path, "policy", header, game)
    module, class_name = FORMATS[header["format"]]
    kind: type[LearntAgent] = getattr(importlib.import_module(module), class_name)
    try:
        demand_outline(header, OUTLINE)
        _demand_size(header, found)
        return kind.from_contents(header, arrays, found, seed)
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as error:
        raise no_policy(path, found, error) from None


def load_guide(path: str | Path, game: Game) -> Any:
    """Load a saved policy of ours that also gives expected returns; it is never a file that needs ``trust``.

    Raises:
        CheckpointError: see :func:`load_policy`.
        ConfigurationError: Stable-Baselines3 saved it.
    """
    if "_stable_baselines3_version" in names_in_zip(Path(path)):
        raise ConfigurationError(
            f"{shown_path(path)} was saved by Stable-Baselines3 and says nothing of returns: what is wanted is one "
            "network that expects them, as the learners ppo and search save it."
        )
    return load_policy(path, game)


def _demand_size(header: Mapping[str, Any], game: Game) -> None:
    """Refuse files for other sizes of observations or actions than the game has now.

    Raises:
        ValueError: it was.
    """
    size, actions = game.observation.itemsize, len(game.actions)
    if (header["observation_size"], header["actions"]) != (size, actions):
        raise ValueError(
            f"it was made for observations of {header['observation_size']} numbers and {header['actions']} actions, "
            f"not of {size} and {actions}"
        )


def no_policy(path: Path, game: Game, error: Exception) -> CheckpointError:
    """The error for a file whose contents do not fit together."""
    return CheckpointError(f"{shown_path(path)} is not a policy of {game.name}: {reason_of(error)}.")


def check_game(path: Path, what: str, header: Mapping[str, Any], game: str | Game | None) -> Game:
    """The game that a file is for.

    Raises:
        CheckpointError: it is for another game than ``game`` or another version of it.
    """
    name, version = header.get("game"), header.get("version")
    wanted = get_game(name if game is None and isinstance(name, str) else game or "")
    if name != wanted.name:
        raise CheckpointError(
            f"{shown_path(path)} is a {what} for {shown_name(name)}: one for {wanted.name} is needed."
        )
    if version != wanted.version:
        raise CheckpointError(
            f"{shown_path(path)} is a {what} for version {shown(version)} of {wanted.name}, but this is version "
            f"{wanted.version}: train anew."
        )
    return wanted
