"""The loss of ``ppo``, whose gradients are written down: they are those that autograd finds of the loss itself."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch import nn

from rat_envs.training.choices import Lessons, log_probabilities
from rat_envs.training.ppo import NOTED, PPO, ActorCritic, PPOOptions

CLIP, PROXIMAL, ENTROPY, MAGNET, VALUE = 0.2, 0.5, 0.3, 0.7, 0.4
#: Where the networks can be on this machine.
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
#: Few outputs, many, two kinds of returns, a critic of its own, seats that nobody takes, combinations and what is
#: recalled.
OPTIONS = [
    {"game": "brave_rats"},
    {"game": "brave_rats", "activation": "tanh", "crossed": ("own_hand", "opponent_cards")},
    {"game": "rattus", "config": {"players": 2}, "margin_weight": 0.5},
    {"game": "rattus_cartus", "config": {"players": 3}, "regularisation": "mmd"},
    {"game": "rattus_cartus", "separate": True, "margin_weight": 0.5},
    {"game": "comme_des_rats", "regularisation": "mmd", "separate": True},
    {"game": "comme_des_rats", "regularisation": "none", "recall": 2},
    {"game": "rattus_cartus", "separate": True, "hidden": (16,)},
]


def a_run(**options) -> PPO:
    """A run whose policy is not what it was when it played, and whose magnet is something else again."""
    few = {"num_games": 16, "steps_per_update": 24, "minibatch": 100, "hidden": (16, 12), "precision": "float32"}
    weights = {"clip_range": CLIP, "entropy_coefficient": ENTROPY, "value_coefficient": VALUE}
    weights |= {"magnet_coefficient": MAGNET, "proximal_coefficient": PROXIMAL, "device": "cpu"}
    run = PPO(PPOOptions(minutes=None, steps=10**9, tensorboard=False, **{**few, **weights, **options}))
    with torch.no_grad():
        for each in (*run.model.parameters(), *run.magnet.parameters()):
            each.add_(0.05 * torch.randn_like(each))
    return run


def said_by(model: ActorCritic, observations: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    """(n, A) logits and (n, kinds, P) returns, by PyTorch's own modules."""
    seen = torch.from_numpy(observations).to(model.scale.device)
    numbers = seen[:, : len(model.scale)].float()
    numbers[:, : len(model.offset)] += model.offset

    def through(network: nn.Module) -> torch.Tensor:
        first, *others = network
        values = first(numbers * model.scale)
        if model.table is not None:
            combination = observations[:, -2:].copy().view("<u2")[:, 0].astype(np.int64)
            values = values + model.table(torch.from_numpy(combination).to(seen.device))
        for layer in others:
            values = layer(torch.tanh(values) if model.activation == "tanh" else torch.relu(values))
        return values

    outputs = through(model.actor)
    returns = outputs[:, model.actions :] if model.critic is None else through(model.critic)
    return outputs[:, : model.actions], returns.unflatten(1, (model.kinds, model.seats))


def loss_of(run: PPO, lessons: Lessons, rows: np.ndarray, imitating: bool) -> tuple[torch.Tensor, dict[str, float]]:
    """The loss as it is defined (Schulman et al. 2017, equation 7; Sokota et al. 2023), and what is noted of it."""
    room, players = run.decisions, run.games.players
    observations = room.observations.reshape(-1, run.model.numbers)[rows]
    there = run.device
    masks, actions = room.masks.reshape(-1, run.model.actions)[rows], room.actions.ravel()[rows]
    masks, actions, targets, before, advantages = (
        torch.from_numpy(each).to(there)
        for each in (masks, actions, lessons.targets, lessons.log_probabilities, lessons.advantages)
    )
    logits, returns = said_by(run.model, observations)
    logs = log_probabilities(logits, masks)
    chosen, probabilities = logs.gather(1, actions[:, None])[:, 0], logs.exp()
    # What stands for several decisions is several decisions.
    weights = torch.from_numpy(lessons.weights.astype(np.int64)).to(there)

    def mean(numbers: torch.Tensor) -> torch.Tensor:
        return numbers.repeat_interleave(weights, 0).mean()

    entropy = -mean((probabilities * logs).sum(1))
    targets = targets.unflatten(1, returns.shape[1:])
    error = mean((returns - targets)[..., :players].square())
    moved = chosen - before
    ratio = moved.exp()
    advantages = (advantages - mean(advantages)) / advantages.repeat_interleave(weights).std()
    surrogate = mean(torch.min(ratio * advantages, ratio.clamp(1 - CLIP, 1 + CLIP) * advantages))
    divergence = mean(ratio * moved - ratio + 1)
    loss = -mean(chosen) if imitating else PROXIMAL * divergence - surrogate
    if not imitating and run.options.regularisation != "none":
        loss = loss - ENTROPY * entropy
    if not imitating and run.options.regularisation == "mmd":
        magnet = log_probabilities(said_by(run.magnet, observations)[0], masks).detach()
        loss = loss + MAGNET * mean((probabilities * (logs - magnet)).sum(1))
    outside = mean(((ratio - 1).abs() > CLIP).float())
    noted = zip(NOTED, (entropy, outside, mean(ratio - 1 - moved), -mean(chosen), error), strict=True)
    return loss + VALUE * error, {name: float(number.detach()) for name, number in noted}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("imitating", [False, True])
@pytest.mark.parametrize("options", OPTIONS)
def test_gradients_are_those_of_the_loss(options, imitating, device):
    run = a_run(**options, device=device)
    run.play(imitating=False)
    chains, lessons = run.prepare(imitating=False)
    random = np.random.default_rng(1)
    moved = random.normal(0, 0.3, len(lessons.log_probabilities)).astype(np.float32)
    weights = random.choice(np.float32([1, 1, 4]), len(moved))
    lessons, seen = (
        lessons._replace(log_probabilities=lessons.log_probabilities + moved, weights=weights),
        run.seen(chains),
    )
    for chosen in chains.parts(max(1, len(chains.rows) // 100)):
        inputs, part = seen.part(chosen), lessons.part(chosen.numbers)
        magnets = None if imitating else run.magnets(inputs, chosen.rows)
        if magnets is not None:  # what is illegal does not count, whatever it is
            magnets[run.decisions.masks.reshape(-1, run.model.actions)[chosen.rows] == 0] = np.nan
        parameters = list(run.model.parameters())
        gradient, notes = run.learn_from(inputs, part, magnets, imitating)
        found = [
            each.view_as(one)
            for each, one in zip(gradient.split([one.numel() for one in parameters]), parameters, strict=True)
        ]
        noted = dict(zip(NOTED, notes.tolist(), strict=True))
        loss, expected_notes = loss_of(run, part, chosen.rows, imitating)
        expected = torch.autograd.grad(loss, parameters)
        for one, other in zip(found, expected, strict=True):
            assert other.abs().max() > 1e-4
            assert torch.allclose(one, other, rtol=1e-3, atol=2e-5 * max(1.0, float(other.abs().max())))
        assert noted == pytest.approx(expected_notes, rel=1e-3, abs=1e-5)
        assert 0 < noted["clipped"] < 1


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("game", ["brave_rats", "rattus"])
def test_in_bfloat16_gradients_point_the_same_way(game, device):
    found = []
    for precision in ("float32", "bfloat16"):
        run = a_run(game=game, precision=precision, device=device)
        random = np.random.default_rng(2)
        run.decisions.observations[:] = random.integers(-1, 2, run.decisions.observations.shape)
        run.decisions.masks[:], run.decisions.learnt[:] = 1, True
        run.decisions.actions[:] = random.integers(run.model.actions, size=run.decisions.actions.shape)
        run.decisions.rewards[:] = random.normal(size=run.decisions.rewards.shape)
        run.decisions.dones[-1] = True
        chains, lessons = run.prepare(imitating=False)
        chosen = next(chains.parts(1))
        found.append(run.learn_from(run.seen(chains).part(chosen), lessons.part(chosen.numbers), None, False)[0])
    assert not torch.equal(*found)
    assert torch.nn.functional.cosine_similarity(*found, dim=0) > 0.99


def test_with_all_decisions_lost_nothing_is_learnt():
    run = a_run(game="rattus")
    run.play(imitating=False)
    before = torch.cat([parameter.flatten() for parameter in run.model.parameters()]).clone()
    run.take(slice(0, 16), None)
    run.fit(imitating=False)
    assert torch.equal(torch.cat([parameter.flatten() for parameter in run.model.parameters()]), before)


def test_nothing_but_a_mean_is_noted_of_imitation_or_of_play():
    for imitating, there in ((True, "imitation_loss"), (False, "clipped")):
        run = a_run(game="brave_rats")
        run.play(imitating=False)
        means = run.descend(*run.prepare(imitating=False), imitating, 2)
        assert there in means and len(means) == (3 if imitating else 4)
