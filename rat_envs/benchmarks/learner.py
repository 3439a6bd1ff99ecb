"""Speed of MaskablePPO on the batched environment, beside the same learner on an environment whose step costs
nothing."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

from rat_envs.benchmarks.measuring import Row, in_turns
from rat_envs.engine.game import Game

__all__ = ["measure_learner"]

GAMES = 256
STEPS = 16


def measure_learner(game: Game, effort: float) -> list[Row]:
    """Steps per second of the whole learning loop; nothing if the learner is not installed."""
    if importlib.util.find_spec("sb3_contrib") is None:
        return []
    import torch
    from sb3_contrib import MaskablePPO

    from rat_envs.agents import make_agent
    from rat_envs.api.learner import LearnerGames
    from rat_envs.api.sb3 import RatVecEnv

    class FreeVecEnv(RatVecEnv):
        """The same environment, frozen: its step costs nothing."""

        constant: Any

        def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
            return self.constant

        def reset(self) -> np.ndarray:
            n = self.games.n
            seen = super().reset()
            self.constant = (seen, np.zeros(n, np.float32), np.zeros(n, bool), [{}] * n)
            self.allowed = super().action_masks()
            return seen

        def action_masks(self) -> np.ndarray:
            return self.allowed

    def learner(kind: type[RatVecEnv]) -> Any:
        env = kind(LearnerGames(game, [make_agent("random", game, 0)], GAMES, seed=0))
        model = MaskablePPO("MlpPolicy", env, n_steps=STEPS, batch_size=4096, n_epochs=4, seed=0, device="cpu")

        def learn() -> int:
            model.learn(GAMES * STEPS, reset_num_timesteps=False)
            return GAMES * STEPS

        return learn

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        ours, _, ratio = in_turns(learner(RatVecEnv), learner(FreeVecEnv), effort, seconds=3)
    finally:
        torch.set_num_threads(threads)
    what = f"{game.name}: MaskablePPO, {GAMES} games, net 64×64"
    return [Row(what, ours, "steps/s", "the learner on a free environment", ratio)]
