"""Beginning where winning is too rare to learn from: imitate an agent in the states that the learner itself reaches.

The learner plays, and learns what the agent would have done (Ross, Gordon and Bagnell 2011, DAgger, but without keeping
decisions from before the last update).
"""

from __future__ import annotations

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBufferSamples
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import update_learning_rate

from rat_envs.api.agent import Agent
from rat_envs.api.learner import LearnerGames

__all__ = ["Imitated", "imitate"]

#: The learning rate of imitation, larger because the agent's choices are less noisy than rewards.
LEARNING_RATE = 2e-3


class Imitated(BaseCallback):
    """Notes an agent's choice wherever the learner chooses, in place of the learner's move in the rollout buffer.

    Args:
        games: the learner's games.
        agent: the agent that is imitated.
    """

    model: MaskablePPO

    def __init__(self, games: LearnerGames, agent: Agent) -> None:
        super().__init__()
        self.games = games
        self.agent = agent

    def _on_rollout_start(self) -> None:
        self.actions = [self.games.choices_of(self.agent)]

    def _on_step(self) -> bool:
        if len(self.actions) < self.model.n_steps:  # otherwise the state belongs to the next rollout
            self.actions.append(self.games.choices_of(self.agent))
        return True

    def _on_rollout_end(self) -> None:
        self.model.rollout_buffer.actions[:] = np.stack(self.actions)[..., None]


def imitate(model: MaskablePPO) -> None:
    """Make the moves in the rollout buffer more probable, and learn the games' returns."""
    update_learning_rate(model.policy.optimizer, LEARNING_RATE)
    model.logger.record("train/learning_rate", LEARNING_RATE)
    for _ in range(model.n_epochs):
        for moves in model.rollout_buffer.get(model.batch_size):
            fit(model, moves)


def fit(model: MaskablePPO, moves: MaskableRolloutBufferSamples) -> None:
    """One gradient step."""
    actions = moves.actions.long().flatten()
    values, logs, entropy = model.policy.evaluate_actions(moves.observations, actions, moves.action_masks)
    assert entropy is not None  # None only for distributions without a closed form
    errors = torch.nn.functional.mse_loss(values.flatten(), moves.returns)
    model.policy.optimizer.zero_grad()
    (-logs.mean() + model.vf_coef * errors).backward()
    torch.nn.utils.clip_grad_norm_(model.policy.parameters(), model.max_grad_norm)
    model.policy.optimizer.step()
    model.logger.record_mean("train/imitation_loss", -logs.mean().item())
    model.logger.record_mean("train/value_loss", errors.item())
    model.logger.record_mean("train/entropy_loss", -entropy.mean().item())
