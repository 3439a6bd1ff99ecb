# /// script
# requires-python = ">=3.11"
# dependencies = ["torchrl==0.14.1", "torch==2.13.0", "rat-envs"]
#
# [tool.uv.sources]
# rat-envs = { path = "../.." }
#
# [tool.rat-envs]
# margin = 0.5
# ///
"""TorchRL: PPO with `MaskedCategorical` learns to win against `greedy` at BraveRats.

`flat=False` gives `GymEnv` the mask as a part of the observation.
"""

import sys

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import (
    ActionMask,
    Compose,
    DTypeCastTransform,
    ExplorationType,
    GymEnv,
    TransformedEnv,
    set_exploration_type,
)
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import rat_envs  # noqa: F401  # registers the environments

seed = int(sys.argv[1]) if sys.argv[1:] else 0
torch.manual_seed(seed)
torch.set_num_threads(1)

env = TransformedEnv(
    GymEnv("rat_envs/BraveRats-v0", opponent="greedy", flat=False, categorical_action_encoding=True),
    Compose(
        DTypeCastTransform(torch.int8, torch.float32, in_keys=["observation"]),
        DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"]),
        ActionMask(),
    ),
)
env.set_seed(seed)
inputs, actions = env.observation_spec["observation"].shape[0], env.action_spec.n


def network(outputs):
    return nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, outputs))


actor = ProbabilisticActor(
    TensorDictModule(network(actions), in_keys=["observation"], out_keys=["logits"]),
    in_keys={"logits": "logits", "mask": "action_mask"},
    out_keys=["action"],
    distribution_class=MaskedCategorical,
    return_log_prob=True,
)
critic = ValueOperator(network(1))
advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01)
optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)


@torch.no_grad()
@set_exploration_type(ExplorationType.RANDOM)
def measure():
    """The mean return of the games that end within some steps."""
    steps = env.rollout(2000, actor, break_when_any_done=False)["next"]
    return steps["reward"][steps["done"]].mean().item()


before = measure()
for data in Collector(env, actor, frames_per_batch=512, total_frames=10_240, auto_register_policy_transforms=True):
    for _ in range(6):
        advantage(data)
        for rows in torch.randperm(len(data)).chunk(4):
            losses = loss(data[rows])
            optimizer.zero_grad()
            sum(losses[part] for part in ("loss_objective", "loss_critic", "loss_entropy")).backward()
            optimizer.step()
print(f"mean return against greedy: before {before:+.2f}, after {measure():+.2f}")
