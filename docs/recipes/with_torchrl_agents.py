# /// script
# requires-python = ">=3.11"
# dependencies = ["torchrl==0.14.1", "torch==2.13.0", "rat-envs"]
#
# [tool.uv.sources]
# rat-envs = { path = "../.." }
#
# [tool.rat-envs]
# margin = 0.4
# ///
"""TorchRL, all seats: PPO in self-play, with a critic that sees what both seats see, learns fast BraveRats.

`PettingZooWrapper` wants `flat=True`: it then puts the masks beside the observations, where `MaskedCategorical` finds
them. Both are int8, so that the observations are cast, and the state. One actor plays every seat and learns from all.
The critic is given `env.state()`, which is all that the seats know together (MAPPO); the actor never sees it.

What was learnt plays in our arena. There a seat is asked only when it is to act, so that nobody can `wait`: that last
output is left out.
"""

import sys

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import DTypeCastTransform, PettingZooWrapper, TransformedEnv
from torchrl.modules import MaskedCategorical, ProbabilisticActor
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import rat_envs
from rat_envs.agents import Agent
from rat_envs.arena import play_match

seed = int(sys.argv[1]) if sys.argv[1:] else 0
torch.manual_seed(seed)
torch.set_num_threads(1)

games = rat_envs.make_parallel("brave_rats", flat=True, fast=True)
env = TransformedEnv(
    PettingZooWrapper(games, return_state=True, categorical_actions=True),
    DTypeCastTransform(torch.int8, torch.float32, in_keys=[("player", "observation"), "state"]),
)
env.set_seed(seed)
seats = len(games.possible_agents)
(seen,), (state,) = games.observation_space("player_0").shape, games.state_space.shape


def network(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, outputs))


def of(name):
    """Where the wrapper keeps what there is of each seat."""
    return ("player", name)


choices = network(seen, games.wait + 1)
actor = ProbabilisticActor(
    TensorDictModule(choices, in_keys=[of("observation")], out_keys=[of("logits")]),
    in_keys={"logits": of("logits"), "mask": of("action_mask")},
    out_keys=[of("action")],
    distribution_class=MaskedCategorical,
    return_log_prob=True,
    log_prob_key=of("log_prob"),
)
values = nn.Sequential(network(state, seats), nn.Unflatten(-1, (seats, 1)))
critic = TensorDictModule(values, in_keys=["state"], out_keys=[of("value")])
loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01)
keys = {name: of(name) for name in ("value", "advantage", "value_target", "reward", "done", "terminated")}
loss.set_keys(action=of("action"), sample_log_prob=of("log_prob"), **keys)
advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
advantage.set_keys(**keys)
optimizer = torch.optim.Adam(loss.parameters(), lr=2.5e-3)


class Learnt(Agent):
    """The actor, as our arena asks it."""

    @torch.no_grad()
    def policy_batch(self, views):
        logits = choices(torch.as_tensor(views.observations, dtype=torch.float32))[:, : games.wait]
        return logits.masked_fill(torch.as_tensor(views.masks) == 0, -torch.inf).double().softmax(1).numpy()


def measure():
    """The mean return in our arena."""
    match = play_match("brave_rats", [Learnt(seed), "greedy"], {"fast": True}, games=2000, seed=seed)
    return match.agents[0].mean_return.mean


before = measure()
for data in Collector(env, actor, frames_per_batch=512, total_frames=10_240):
    for _ in range(6):
        advantage(data)
        for rows in torch.randperm(len(data)).chunk(4):
            losses = loss(data[rows])
            optimizer.zero_grad()
            sum(losses[part] for part in ("loss_objective", "loss_critic", "loss_entropy")).backward()
            optimizer.step()
print(f"mean return against greedy: before {before:+.2f}, after {measure():+.2f}")
