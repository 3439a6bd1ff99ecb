# /// script
# requires-python = ">=3.11"
# dependencies = ["stable-baselines3==2.9.2", "sb3-contrib==2.9.2", "torch==2.13.0", "rat-envs"]
#
# [tool.uv.sources]
# rat-envs = { path = "../.." }
#
# [tool.rat-envs]
# margin = 0.5
# ///
"""Stable-Baselines3: PPO without masks and MaskablePPO learn to win against `greedy` at BraveRats.

`RatVecEnv` is Stable-Baselines3's vectorised environment over many games in one block of memory. `MaskablePPO` of
`sb3-contrib` finds the masks by itself. PPO, A2C and DQN know no masks, and an illegal action is an error. With
`illegal="random"` a legal action is taken in its place, and with `illegal="lose"` whoever plays it has lost.

A single game, `gymnasium.make("rat_envs/BraveRats-v0", opponent="greedy", illegal="random")`, works too, slowly.
"""

import sys

import sb3_contrib.common.maskable.evaluation as with_masks
import stable_baselines3.common.evaluation as without_masks
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO

from rat_envs.agents import make_agent
from rat_envs.api.learner import LearnerGames
from rat_envs.api.sb3 import RatVecEnv

seed = int(sys.argv[1]) if sys.argv[1:] else 0
torch.set_num_threads(1)

for learner, evaluation, illegal in ((MaskablePPO, with_masks, "raise"), (PPO, without_masks, "random")):
    games = LearnerGames("brave_rats", [make_agent("greedy", "brave_rats")], n=64, seed=seed, illegal=illegal)
    env = RatVecEnv(games)
    model = learner("MlpPolicy", env, n_steps=32, batch_size=512, learning_rate=2e-3, gamma=1.0, seed=seed)
    options = {"n_eval_episodes": 500, "deterministic": False, "warn": False}
    before, _ = evaluation.evaluate_policy(model, env, **options)
    model.learn(40_000)
    after, _ = evaluation.evaluate_policy(model, env, **options)
    print(f"{learner.__name__}, mean return against greedy: before {before:+.2f}, after {after:+.2f}")
