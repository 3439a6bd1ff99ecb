"""Algorithms from OpenSpiel, on our games through the bridge: DQN, and neural fictitious self-play."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel
import torch
from open_spiel.python import rl_environment
from open_spiel.python.pytorch import dqn, nfsp

from rat_envs.api.openspiel import openspiel_name
from rat_envs.api.openspiel.parameters import as_parameter
from rat_envs.api.seats import SeatViews
from rat_envs.training.scaling import scale_of

if TYPE_CHECKING:
    from rat_envs.comparison.tasks import Task

__all__ = ["LEARNERS"]

HIDDEN = [128, 128]
NEVER = -1e9
#: The part of its games that a seat plays by its best response, in neural fictitious self-play.
ANTICIPATORY = 0.1


class Learner(ABC):
    """An OpenSpiel agent for each seat, all of which learn in the same games.

    Args:
        task: the task to learn.
        seed: seed of everything random.
        steps: the whole budget.
    """

    def __init__(self, task: Task, seed: int, steps: int) -> None:
        config = {name: as_parameter(value) for name, value in task.config.items()}
        options = {"preset": task.preset} if task.preset else config
        game = pyspiel.load_game(openspiel_name(task.game), options)
        observed = rl_environment.ObservationType.OBSERVATION
        self.env = rl_environment.Environment(game, observation_type=observed)
        self.env.seed(seed)
        scale = scale_of(task.game, task.config, seed)
        self.columns = np.flatnonzero(scale["spread"])
        self.mean, self.spread = scale["mean"][self.columns], scale["spread"][self.columns]
        self.actions = self.env.action_spec()["num_actions"]
        seeds = 10_000 * seed + np.array([0, 100])
        self.agents = [self.agent(seat, len(self.columns), int(seeds[seat]), steps) for seat in range(2)]
        self.decided = 0

    @abstractmethod
    def agent(self, seat: int, size: int, seed: int, steps: int) -> Any:
        """The agent that learns in that seat."""

    @abstractmethod
    def network(self, seat: int) -> torch.nn.Module:
        """The network that is asked about that seat's observations."""

    @abstractmethod
    def probabilities(self, outputs: torch.Tensor) -> torch.Tensor:
        """(n, A) probabilities from (n, A) outputs, which are very low for illegal actions."""

    def learn(self, steps: int) -> int:
        """Play whole games until this number of decisions."""
        while self.decided < steps:
            step = self.seen(self.env.reset())
            while not step.last():
                output = self.agents[step.observations["current_player"]].step(step)
                step = self.seen(self.env.step([output.action]))
                self.decided += 1
            for agent in self.agents:
                agent.step(step)
        return self.decided

    def seen(self, step: rl_environment.TimeStep) -> rl_environment.TimeStep:
        """A time step with observations scaled for the networks."""
        step.observations["info_state"] = [self.scaled(each) for each in step.observations["info_state"]]
        return step

    def scaled(self, observations: Any) -> np.ndarray:
        """(..., features) float32: the numbers that vary, brought to one scale, as our own learners see them."""
        scaled: np.ndarray = (np.asarray(observations, np.float32)[..., self.columns] - self.mean) / self.spread
        return scaled

    @torch.no_grad()
    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A): the probabilities by the network of each view's seat."""
        answers = np.zeros(views.masks.shape)
        for seat in range(2):
            chosen = np.flatnonzero(views.seats == seat)
            if len(chosen):
                outputs = self.network(seat)(torch.from_numpy(self.scaled(views.observations[chosen])))
                legal = torch.from_numpy(views.masks[chosen] != 0)
                answers[chosen] = self.probabilities(torch.where(legal, outputs, NEVER)).numpy()
        return answers


class DQN(Learner):
    """Deep Q-learning with masks (Mnih et al. 2015): each seat treats the other as a part of its environment."""

    def agent(self, seat: int, size: int, seed: int, steps: int) -> Any:
        """An agent with a replay buffer, and exploration that falls in the first half of a seat's decisions."""
        return dqn.DQN(
            seat,
            size,
            self.actions,
            HIDDEN,
            replay_buffer_capacity=100_000,
            learning_rate=1e-3,
            optimizer_str="adam",
            epsilon_decay_schedule_str="linear",
            epsilon_decay_duration=max(1, steps // 4),
            epsilon_end=0.05,
            seed=seed,
        )

    def network(self, seat: int) -> torch.nn.Module:
        """The network of action values."""
        return self.agents[seat]._q_network

    def probabilities(self, outputs: torch.Tensor) -> torch.Tensor:
        """Only the best action."""
        return torch.nn.functional.one_hot(outputs.argmax(1), outputs.shape[1]).double()


class NFSP(Learner):
    """Neural fictitious self-play (Heinrich and Silver 2016): the average of the best responses' actions."""

    def agent(self, seat: int, size: int, seed: int, steps: int) -> Any:
        """An agent that, as in the paper, plays a tenth of the games by the best response, which explores less and
        less. It learns by Adam with 0.001; the paper's networks learnt by plain gradient descent with 0.1 and 0.005.
        """
        agent = nfsp.NFSP(
            seat,
            size,
            self.actions,
            HIDDEN,
            reservoir_buffer_capacity=200_000,
            anticipatory_param=ANTICIPATORY,
            rl_learning_rate=1e-3,
            sl_learning_rate=1e-3,
            optimizer_str="adam",
            seed=seed,
            replay_buffer_capacity=100_000,
            epsilon_decay_schedule_str="linear",
            epsilon_decay_duration=max(1, round(ANTICIPATORY * steps / 4)),  # it counts only its best response's moves
            epsilon_start=0.06,
            epsilon_end=0.001,
        )
        first = dqn.MLP(size, HIDDEN, self.actions, seed=seed + 10).state_dict()  # otherwise alike in OpenSpiel 2.0
        for network in (agent._rl_agent._q_network, agent._rl_agent._target_q_network):
            network.load_state_dict(first)
        return agent

    def network(self, seat: int) -> torch.nn.Module:
        """The average policy."""
        return self.agents[seat]._avg_network

    def probabilities(self, outputs: torch.Tensor) -> torch.Tensor:
        """The outputs themselves are the probabilities."""
        return outputs.double().softmax(1)


LEARNERS = {"dqn": DQN, "nfsp": NFSP}
