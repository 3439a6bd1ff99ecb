"""The tasks on which algorithms are compared, and the measurements of their policies."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rat_envs.api.agent import Agent
from rat_envs.api.named_agents import make_agent
from rat_envs.api.seats import SeatViews
from rat_envs.arena import play_match
from rat_envs.comparison.algorithms import Probabilities
from rat_envs.engine.configuration import Configuration, parse_options
from rat_envs.engine.errors import ConfigurationError, RatEnvsError, UnknownNameError, shown
from rat_envs.engine.game import Game
from rat_envs.engine.registry import all_games, get_game
from rat_envs.ladder.rungs import settings
from rat_envs.solving.exploitability import exploitability, why_not_unasked

__all__ = ["EXPLOITABILITY", "OPPONENTS", "Task", "all_tasks", "find_tasks", "installed_tasks"]

#: The exact measure: half of NashConv.
EXPLOITABILITY = "exploitability"
#: The opponents, and the number of games against each; others if a game has no heuristic ``greedy``.
OPPONENTS = {"greedy": 1000, "ismcts:sims=100,rollout=greedy": 200}
OTHER_OPPONENTS = {"random": 1000, "ismcts:sims=100": 200}
SEED = 1
SMALL = "small"


@dataclass(frozen=True)
class Task:
    """A game for two in one configuration, whole or from a preset on.

    Attributes:
        game: the game's name.
        config: the options that are not the default.
        preset: name of a position at which all games begin; empty for whole games.
    """

    game: str
    config: Mapping[str, Any] = field(default_factory=dict)
    preset: str = ""

    @property
    def name(self) -> str:
        """The name on the command line: ``brave_rats``, ``brave_rats:fast=true``, ``rattus:small``."""
        options = [f"{name}={str(value).lower()}" for name, value in self.config.items() if not self.preset]
        return ":".join([self.game, *([self.preset] if self.preset else options)])

    @property
    def declared(self) -> Game:
        """The game itself."""
        return get_game(self.game)

    @property
    def configuration(self) -> Configuration:
        """The configuration, with all options."""
        return self.declared.configuration.make(self.config)

    @property
    def is_exact(self) -> bool:
        """Whether exploitability can be computed."""
        return bool(self.preset) or self.configuration.is_public

    @property
    def opponents(self) -> Mapping[str, int]:
        """The opponents of a policy in whole games, and the number of games against each."""
        return OPPONENTS if "greedy" in self.declared.heuristics else OTHER_OPPONENTS

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the results of :meth:`measure`."""
        exact = (EXPLOITABILITY,) if self.is_exact else ()
        return exact if self.preset else (*exact, *self.opponents)

    def measure(self, probabilities: Probabilities, exact_only: bool = False, name: str = "asked") -> dict[str, float]:
        """Measure a policy: the exploitability, if it is exact, and the mean return against each opponent in whole
        games.

        Args:
            probabilities: the policy.
            exact_only: leave out the games; if there is an exact measure, they are needed only at the end.
            name: whose policy it is, for the error if it is not a policy.

        Raises:
            ConfigurationError: an outside game is too large to be measured exactly.
        """
        agent = Asked(probabilities, name)
        found = {}
        if self.is_exact:
            preset = self.preset or None
            config = None if self.preset else self.config
            if not preset and (reason := why_not_unasked(self.declared, self.configuration)):
                raise ConfigurationError(f"The task {self.name} cannot be measured exactly: {reason}.")
            found[EXPLOITABILITY] = exploitability(self.game, agent, config, preset=preset).exploitability
        if not self.preset and not (exact_only and self.is_exact):
            for name, games in self.opponents.items():
                match = play_match(self.game, [agent, make_agent(name, self.game, SEED)], self.config, games, SEED)
                found[name] = match.agents[0].mean_return.mean
        return found


class Asked(Agent):
    """A function as an agent.

    Args:
        probabilities: ``(views) -> (n, A)``.
        name: whose probabilities they are.
    """

    def __init__(self, probabilities: Probabilities, name: str = "asked") -> None:
        super().__init__(SEED)
        self.probabilities, self.name = probabilities, name

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A): the result of the function."""
        return self.probabilities(views)


def all_tasks() -> list[Task]:
    """The small presets, then the games for two, those with an exact measure first."""
    games = [game for game in all_games().values() if game.ladder is not None]
    presets = [(game, preset) for game in games for preset in game.presets if preset.name == SMALL]
    small = [Task(game.name, preset.options, SMALL) for game, preset in presets]
    for_two = [task for game in games if (task := Task(game.name, settings(game)[-1])).configuration.players == 2]
    variants = [Task(game.name, options) for game in games if game.ladder for options in game.ladder.variants]
    return [*small, *sorted([*for_two, *variants], key=lambda task: not task.is_exact)]


def find_tasks(names: Iterable[str]) -> list[Task]:
    """The tasks with these names; all compared ones, if none is given.

    Any game for two is a task, too: ``GAME``, ``GAME:PRESET`` or ``GAME:KEY=VALUE``.

    Raises:
        UnknownNameError: there is no such game or preset.
        ConfigurationError: an option is wrong, or the game is not for two players.
    """
    known = {task.name: task for task in all_tasks()}
    return [known[name] if name in known else _other_task(name, known) for name in names or known]


def _other_task(name: str, known: Iterable[str]) -> Task:
    """A task that is compared only if it is named."""
    game, *words = name.split(":")
    if game not in all_games():
        raise UnknownNameError(
            f"There is no task {shown(name)}: the tasks are {', '.join(known)}, and GAME, GAME:PRESET or "
            "GAME:KEY=VALUE of any game for two."
        )
    presets, options = [word for word in words if "=" not in word], [word for word in words if "=" in word]
    if len(presets) > 1 or (presets and options):
        raise ConfigurationError(f"The task {shown(name)} must name one preset, or options, or neither.")
    declared = get_game(game)
    config = declared.preset(presets[0]).options if presets else parse_options(options)
    declared.configuration.make(config)
    known_order = [each for each in declared.configuration.options() if each in config]
    task = Task(game, {each: config[each] for each in known_order}, *presets)
    if task.configuration.players != 2:
        raise ConfigurationError(f"The task {shown(name)} is for {task.configuration.players}: tasks are for two.")
    return task


def installed_tasks(names: Iterable[str]) -> list[Task]:
    """The tasks with these names that exist here, those that are always compared first."""
    found = {task.name: task for task in all_tasks()}
    for name in names:
        with contextlib.suppress(RatEnvsError):
            found.update({task.name: task for task in find_tasks([name])})
    return [task for name, task in found.items() if name in set(names)]
