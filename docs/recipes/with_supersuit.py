# /// script
# requires-python = ">=3.11"
# dependencies = ["supersuit==3.11.0", "stable-baselines3==2.9.2", "torch==2.13.0", "rat-envs"]
#
# [tool.uv.sources]
# rat-envs = { path = "../.." }
#
# [tool.rat-envs]
# margin = 0.15
# ///
"""SuperSuit: PPO in self-play over its vectors of agents learns what is legal in fast BraveRats.

SuperSuit's wrappers want observations that are a flat box (`flat=True`), and the learners that its vectors are made for
know no masks: with `illegal="lose"` they learn that illegal actions lose; with `illegal="random"` a legal one is taken
in its place. `flatten`, `pad_observations`, `pad_action_space`, `agent_indicator` and `black_death` work.

The vectors cannot be seeded by the learner (`ConcatVecEnv` has no `seed`), so that the seed is set by hand.
"""

import sys

import numpy as np
import supersuit
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.utils import set_random_seed

import rat_envs

seed = int(sys.argv[1]) if sys.argv[1:] else 0
torch.set_num_threads(1)


def make():
    env = rat_envs.make_parallel("brave_rats", flat=True, illegal="lose", fast=True)
    env = supersuit.agent_indicator_v0(supersuit.dtype_v0(env, "float32"))
    return supersuit.black_death_v3(env)


def measure(model, games=300):
    """The mean return of one seat, each in turn, against random legal play in the other."""
    env, returns = make(), []
    for game in range(games):
        learner, total = env.possible_agents[game % 2], 0.0
        seen, infos = env.reset(seed=game)
        while env.agents:
            actions = {agent: env.action_space(agent).sample(infos[agent]["action_mask"]) for agent in env.agents}
            actions[learner] = int(model.predict(seen[learner])[0])
            seen, rewards, _, _, infos = env.step(actions)
            total += rewards[learner]
        returns.append(total)
    return np.mean(returns)


set_random_seed(seed)  # SuperSuit's vectors take no seed from PPO
agents = supersuit.pettingzoo_env_to_vec_env_v1(make())
envs = supersuit.concat_vec_envs_v1(agents, 16, num_cpus=0, base_class="stable_baselines3")
model = PPO("MlpPolicy", envs, n_steps=16, batch_size=128, learning_rate=2e-3, gamma=1.0)
before = measure(model)
model.learn(12_000)
print(f"mean return against random play: before {before:+.2f}, after {measure(model):+.2f}")
