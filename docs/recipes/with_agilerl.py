# /// script
# requires-python = ">=3.11"
# dependencies = ["agilerl==2.58.0", "peft==0.21.0", "torch==2.13.0", "rat-envs"]
#
# [tool.uv.sources]
# rat-envs = { path = "../.." }
#
# [tool.rat-envs]
# margin = 0.5
# environment = "agilerl"
# ///
"""AgileRL: PPO with masks learns to win against `greedy` at BraveRats.

`rat_envs.make_vec` is a gymnasium vector environment with the masks in `infos["action_mask"]`, where `collect_rollouts`
and `PPO.test` look for them.

AgileRL 2.58 requires PettingZoo older than 1.27 and a tensordict of its own, so that it is installed by itself. It also
imports `peft`, which only its extra for language models would install.
"""

import random
import sys

import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.rollouts import collect_rollouts

import rat_envs

seed = int(sys.argv[1]) if sys.argv[1:] else 0
random.seed(seed)
np.random.seed(seed)
torch.manual_seed(seed)
torch.set_num_threads(1)

envs = rat_envs.make_vec("brave_rats", 64, opponent="greedy")
envs.reset(seed=seed)
agent = PPO(
    envs.single_observation_space,
    envs.single_action_space,
    num_envs=64,
    learn_step=2048,
    batch_size=512,
    lr=1e-3,
    gamma=1.0,
    net_config={"encoder_config": {"hidden_size": [64]}},
)
test = rat_envs.make_vec("brave_rats", 64, opponent="greedy")
before = agent.test(test, loop=8)
last = {}
for _ in range(12):
    _, obs, done, scores, info = collect_rollouts(agent, envs, **last)
    last = {"last_obs": obs, "last_done": done, "last_scores": scores, "last_info": info}
    agent.learn()
print(f"mean return against greedy: before {before:+.2f}, after {agent.test(test, loop=8):+.2f}")
