# /// script
# requires-python = ">=3.11"
# dependencies = ["torch==2.13.0", "rat-envs"]
#
# [tool.uv.sources]
# rat-envs = { path = "../.." }
#
# [tool.rat-envs]
# margin = 0.5
# ///
"""CleanRL's way: PPO with masks, in one file on PyTorch, learns to win against `greedy` at BraveRats.

[CleanRL](https://docs.cleanrl.dev) is not a library to import but a way of writing: one algorithm, one file, read from
top to bottom. `rat_envs.make_vec` is a gymnasium vector environment, with the masks in `infos["action_mask"]`; a game
that ends begins anew in the same step, so that no step is wasted.
"""

import sys

import numpy as np
import torch
from torch.distributions import Categorical
from torch.nn.functional import mse_loss

import rat_envs

seed = int(sys.argv[1]) if sys.argv[1:] else 0
num_envs, num_steps, num_updates, epochs, minibatches = 64, 32, 12, 4, 4
learning_rate, gae_lambda, clip, entropy_weight, value_weight = 1e-3, 0.95, 0.2, 0.01, 0.5  # rewards are not discounted

torch.manual_seed(seed)
torch.set_num_threads(1)
envs = rat_envs.make_vec("brave_rats", num_envs, opponent="greedy")
inputs, actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)


def network(outputs):
    return torch.nn.Sequential(torch.nn.Linear(inputs, 64), torch.nn.Tanh(), torch.nn.Linear(64, outputs))


actor, critic = network(actions), network(1)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], learning_rate)


def policy(observations, masks):
    return Categorical(logits=actor(observations).masked_fill(masks == 0, -1e9))


def tensors(observations, infos):
    return torch.tensor(observations, dtype=torch.float32), torch.tensor(infos["action_mask"])


@torch.no_grad()
def measure(games=500):
    returns, seen = [], tensors(*envs.reset(seed=seed + 1000))
    while len(returns) < games:
        observations, rewards, ended, _, infos = envs.step(policy(*seen).sample().numpy())
        returns += rewards[ended].tolist()
        seen = tensors(observations, infos)
    return np.mean(returns)


before = measure()
observation, mask = tensors(*envs.reset(seed=seed))
for _ in range(num_updates):
    rollout = []
    for _ in range(num_steps):
        with torch.no_grad():
            chances, value = policy(observation, mask), critic(observation).squeeze(1)
        action = chances.sample()
        following, reward, ended, _, infos = envs.step(action.numpy())
        numbers = torch.tensor(reward, dtype=torch.float32), torch.tensor(ended, dtype=torch.float32)
        rollout.append((observation, mask, action, chances.log_prob(action), value, *numbers))
        observation, mask = tensors(following, infos)

    observations, masks, chosen, log_probs, values, rewards, dones = map(torch.stack, zip(*rollout, strict=True))
    advantages, advantage, next_value = torch.zeros_like(rewards), 0.0, critic(observation).squeeze(1).detach()
    for step in reversed(range(num_steps)):
        goes_on = 1 - dones[step]
        advantage = rewards[step] + goes_on * (next_value + gae_lambda * advantage) - values[step]
        advantages[step], next_value = advantage, values[step]

    batch = [part.flatten(0, 1) for part in (observations, masks, chosen, log_probs, advantages, advantages + values)]
    for rows in [rows for _ in range(epochs) for rows in torch.randperm(num_envs * num_steps).chunk(minibatches)]:
        observations, masks, chosen, log_probs, advantages, returns = (part[rows] for part in batch)
        chances = policy(observations, masks)
        ratio = (chances.log_prob(chosen) - log_probs).exp()
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        policy_loss = -torch.min(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages).mean()
        value_loss = mse_loss(critic(observations).squeeze(1), returns)
        optimizer.zero_grad()
        (policy_loss + value_weight * value_loss - entropy_weight * chances.entropy().mean()).backward()
        optimizer.step()
print(f"mean return against greedy: before {before:+.2f}, after {measure():+.2f}")
