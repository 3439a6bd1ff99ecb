# /// script
# requires-python = ">=3.11"
# dependencies = ["tianshou==2.0.1", "torch==2.13.0", "rat-envs"]
#
# [tool.uv.sources]
# rat-envs = { path = "../.." }
#
# [tool.rat-envs]
# margin = 0.2
# ///
"""Tianshou: DQN learns the first seat of BraveRats, against its masked random player in the second.

`PettingZooEnv` of Tianshou takes the environment as it is, and its algorithms find the mask of whoever is to act.
"""

import sys

import numpy as np
import torch
from tianshou.algorithm import DQN, MARLRandomDiscreteMaskedOffPolicyAlgorithm, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import rat_envs

seed = int(sys.argv[1]) if sys.argv[1:] else 0
np.random.seed(seed)
torch.manual_seed(seed)
torch.set_num_threads(1)


def make():
    return PettingZooEnv(rat_envs.make("brave_rats", fast=True))


env, envs = make(), DummyVectorEnv([make] * 16)
envs.seed(seed)
inputs, actions = env.observation_space["observation"].shape, env.action_space
learner = DQN(
    policy=DiscreteQLearningPolicy(
        model=Net(state_shape=inputs, action_shape=actions.n, hidden_sizes=[64, 64]),
        action_space=actions,
        eps_training=0.2,
    ),
    optim=AdamOptimizerFactory(lr=1e-3),
    gamma=1.0,
    n_step_return_horizon=2,  # its own choice and the answer: rewards come with either
    target_update_freq=200,
)
both = MultiAgentOffPolicyAlgorithm(algorithms=[learner, MARLRandomDiscreteMaskedOffPolicyAlgorithm(actions)], env=env)
training = Collector(both, envs, VectorReplayBuffer(20_000, len(envs)), exploration_noise=True)
test = Collector(both, DummyVectorEnv([make] * 16))


def measure():
    return test.collect(n_episode=500, reset_before_collect=True).returns[:, 0].mean()


before = measure()
both.run_training(
    OffPolicyTrainerParams(
        training_collector=training,
        test_collector=None,
        max_epochs=1,
        epoch_num_steps=8_000,
        collection_step_num_env_steps=160,
        update_step_num_gradient_steps_per_sample=0.3,
        batch_size=128,
        test_in_training=False,
    )
)
print(f"mean return against random play: before {before:+.2f}, after {measure():+.2f}")
