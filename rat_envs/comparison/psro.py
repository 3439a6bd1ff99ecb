"""Policy-space response oracles (Lanctot et al. 2017): again and again, PPO learns a best response to an equilibrium of
all policies found so far.

The result is a mixture of policies, one of which is drawn for a whole game. In each state, such a mixture plays the
mean of its policies, weighted by the probability that each one reaches the state. A network learns this from games of
the mixture. Only the decisions that responses are learnt from count as steps.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rat_envs.agents.learnt import save_policy
from rat_envs.api.agent import Agent
from rat_envs.api.named_agents import make_agent
from rat_envs.api.seats import SeatViews
from rat_envs.solving.matrix_game import solve_matrix_game
from rat_envs.training.ppo import PPO, Games, PPOOptions

if TYPE_CHECKING:
    from rat_envs.comparison.tasks import Task

__all__ = ["PSRO"]

#: The number of responses, among which the budget is divided.
ROUNDS = 16
#: The number of games from which the return of two policies against each other is estimated.
GAMES = 500
#: The number of updates in which the network learns to imitate the mixture.
LESSONS = 60
#: Policies that are chosen more rarely than this are left out of the mixture.
LEAST_CHANCE = 1e-3


class PSRO:
    """Policies, their returns against each other, and an equilibrium of choosing among them.

    Args:
        task: the task to learn.
        seed: seed of everything random.
        steps: the whole budget.
        options: the options of PPO.
    """

    def __init__(self, task: Task, seed: int, steps: int, options: Mapping[str, Any]) -> None:
        self.seed = seed
        self.folder = tempfile.TemporaryDirectory()
        self.budget = max(1, steps // ROUNDS)
        self.options = PPOOptions(
            **{
                **options,
                "game": task.game,
                "config": dict(task.config),
                "preset": task.preset,
                "folder": self.folder.name,
                "steps": self.budget,
                "annealing_steps": self.budget,
                "seed": seed,
            }
        )
        self.names, self.policies = ["random"], [make_agent("random", task.game, seed)]
        self.payoffs, self.chances = np.zeros((1, 1)), np.ones(1)
        self.learnt = 0
        self.response = self.new_response()
        self.average: Average | None = None

    def learn(self, steps: int) -> int:
        """Go on until responses have been learnt from this many decisions."""
        while self.learnt + self.response.steps < steps:
            self.response.update()
            if self.response.steps >= self.budget:
                self.learnt += self.response.steps
                self.add(self.response.agent())
                self.response = self.new_response()
        return self.learnt + self.response.steps

    def new_response(self) -> PPO:
        """A learner that plays against the mixture, and begins with the newest policy."""
        likely = self.chances >= LEAST_CHANCE
        shares = np.where(likely, self.chances, 0) / self.chances[likely].sum()
        opponents = {name: float(share) for name, share in zip(self.names, shares, strict=True) if share}
        begin_with = "" if len(self.names) == 1 else self.names[-1]
        return PPO(self.options_with(opponents=opponents, begin_with=begin_with))

    def options_with(self, **changes: Any) -> PPOOptions:
        """The options of PPO, with a new seed for each round."""
        return dataclasses.replace(self.options, seed=self.seed + 1000 * len(self.names), **changes)

    def add(self, policy: Any) -> None:
        """Add a policy: measure it against all others, and compute the equilibrium with it."""
        path = Path(self.folder.name) / f"response-{len(self.names)}.safetensors"
        save_policy(path, policy)
        returns = [mean_return(self.options_with(), policy, other) for other in self.policies]
        self.names.append(str(path))
        self.policies.append(policy)
        size = len(self.names)
        self.payoffs = np.pad(self.payoffs, (0, 1))
        self.payoffs[-1, :-1], self.payoffs[:-1, -1] = returns, np.negative(returns)
        self.chances, tableau = np.zeros(size), np.zeros((size + 1, 2 * size + 1))
        solve_matrix_game(self.payoffs, size, size, self.chances, np.zeros(size), tableau)
        self.average = None

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A): the mixture's probabilities, as a network has learnt them."""
        if self.chances.max() > 1 - LEAST_CHANCE:
            return self.policies[self.chances.argmax()].policy_batch(views)
        if self.average is None:
            self.average = Average(self.options_with(), self.policies, self.chances)
            self.average.be_taught()
        return self.average.agent().policy_batch(views)


class Average(PPO):
    """A network that imitates a mixture of policies, one of which each seat draws for a whole game.

    Args:
        options: of the network and the games.
        policies: the policies that are mixed.
        chances: the probability of each.
    """

    def __init__(self, options: PPOOptions, policies: list[Agent], chances: np.ndarray) -> None:
        super().__init__(options)
        self.policies, self.chances = policies, chances
        self.drawn = self.draw_policies(self.games.batch.n)

    def draw_policies(self, games: int) -> np.ndarray:
        """(games, P): the number of each seat's policy."""
        return self.games.random.choice(len(self.chances), (games, self.games.players), p=self.chances)

    def be_taught(self) -> None:
        """Play games of the mixture, and fit the network to the actions in them."""
        for _ in range(LESSONS):
            self.gather(True)
            self.fit(True)

    def demonstrate(self, own: np.ndarray, asked: np.ndarray, imitating: bool) -> tuple[np.ndarray, np.ndarray]:
        """The actions of the policies that the seats have drawn are both played and imitated; in all games, because
        nobody else plays."""
        games = self.games
        ended = games.batch.dones.astype(bool)  # new games have taken their places
        self.drawn[ended] = self.draw_policies(ended.sum())
        drawn = self.drawn[asked, games.batch.actors[asked]]
        actions = np.zeros_like(own)
        for number in np.unique(drawn):
            chosen = drawn == number
            actions[chosen] = self.policies[number].act_batch(games.views(asked[chosen]))
        return actions, actions


def mean_return(options: PPOOptions, policy: Agent, other: Agent) -> float:
    """The mean return of ``policy`` against ``other`` in :data:`GAMES` games; its seat is drawn for each."""
    met = {"random": 1.0}  # any opponent, so that the policy does not play both seats; it is set next
    games = Games(dataclasses.replace(options, num_games=GAMES, minibatch=1, opponents=met), options.seed)
    games.drawn = [other], [1.0]
    games.draw(np.arange(GAMES))
    returns = np.full(GAMES, np.nan)
    while np.isnan(returns).any():
        learnt, seats = games.learnt(), games.seats.argmax(1)
        chosen, actions = np.flatnonzero(learnt), np.zeros(GAMES, np.int64)
        actions[chosen] = policy.act_batch(games.views(chosen))
        games.step(actions, learnt)
        first = np.flatnonzero(games.batch.dones & np.isnan(returns))
        returns[first] = games.rewards[first, 0, seats[first]]
    return float(returns.mean())
