# /// script
# requires-python = ">=3.11"
# dependencies = ["ray[rllib]==2.60.0", "torch==2.13.0", "rat-envs"]
#
# [tool.uv.sources]
# rat-envs = { path = "../.." }
#
# [tool.rat-envs]
# margin = 0.5
# environment = "rllib"
# ///
"""RLlib: PPO on its present interface, with its own module for masks, learns to win against `greedy` at BraveRats.

`ActionMaskingTorchRLModule` wants the parts of an observation by the names `observations` and `action_mask`, as numbers
of 32 bits: a wrapper of gymnasium renames them. After the end nothing is legal, and there it allows everything.

`rat_envs.training.rllib` is a longer script, in which one policy plays every seat and learns from all of them.
"""

import sys

import gymnasium
import numpy as np
import ray
from gymnasium.spaces import Box, Dict
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune import register_env

import rat_envs  # noqa: F401  # registers the environments

seed = int(sys.argv[1]) if sys.argv[1:] else 0


def renamed(seen):
    mask = seen["action_mask"] if seen["action_mask"].any() else np.ones_like(seen["action_mask"])
    return {"observations": seen["observation"].astype(np.float32), "action_mask": mask.astype(np.float32)}


def make(config):
    env = gymnasium.make("rat_envs/BraveRats-v0", opponent="greedy", flat=False, fast=True)
    vector, mask = env.observation_space["observation"], env.observation_space["action_mask"]
    space = Dict({"observations": Box(-128, 127, vector.shape), "action_mask": Box(0, 1, mask.shape)})
    return gymnasium.wrappers.TransformObservation(env, renamed, space)


ray.init(include_dashboard=False, log_to_driver=False)
register_env("brave_rats", make)
algorithm = (
    PPOConfig()
    .environment("brave_rats", disable_env_checking=True)  # the check samples an action without looking at the mask
    .env_runners(num_env_runners=0)
    .rl_module(
        rl_module_spec=RLModuleSpec(
            module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [64, 64]}
        )
    )
    .training(lr=1e-3, gamma=1.0, train_batch_size_per_learner=512, minibatch_size=128, num_epochs=6)
    .debugging(seed=seed)
    .build_algo()
)
returns = [algorithm.train()["env_runners"]["episode_return_mean"] for _ in range(12)]
algorithm.stop()
print(f"mean return of the games in training, against greedy: before {returns[0]:+.2f}, after {returns[-1]:+.2f}")
