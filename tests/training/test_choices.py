"""Choices among legal actions: compiled loops say what PyTorch's own operations over all actions say."""

import numpy as np
import pytest
import torch

import rat_envs
from rat_envs.training.choices import (
    MANY,
    choices_by_pytorch,
    choices_made,
    draw,
    drawn_by_pytorch,
    log_probabilities,
    logs_of_legal,
    outputs_of,
)
from rat_envs.training.seeing import Numbering, centred

ROWS, OTHERS, WIDTH = 40, 3, 21
#: With few actions all outputs are worked out, with many those that are wanted.
FEW_AND_MANY = (19, 2 * MANY + 5)


def made_up(actions_there):
    """Inputs of the last layer, that layer, masks of which every row has something legal, a legal action for each, and
    weights."""
    torch.manual_seed(1)
    masks = (torch.rand(ROWS, actions_there) < 0.3).to(torch.int8)
    masks[torch.arange(ROWS), torch.arange(ROWS) % actions_there] = 1
    actions = masks.float().multinomial(1)[:, 0]
    layer = torch.randn(actions_there + OTHERS, WIDTH), torch.randn(actions_there + OTHERS)
    return torch.randn(ROWS, WIDTH), layer, masks, actions, torch.randn(ROWS, actions_there)


@pytest.mark.parametrize("actions_there", FEW_AND_MANY)
@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_said_of_choices_and_its_gradients_are_autograds(weighted, actions_there):
    values, layer, masks, actions, weights = made_up(actions_there)
    factors = [torch.randn(ROWS), torch.randn(ROWS), torch.randn(ROWS), torch.randn(ROWS, OTHERS)]
    own, theirs = ([each.clone().requires_grad_() for each in (values, *layer)] for _ in range(2))
    given = masks, actions, weights if weighted else None
    found = choices_made(own[0], (own[1], own[2]), *given)
    expected = choices_by_pytorch(outputs_of(theirs[0], (theirs[1], theirs[2])), *given)
    for one, other in zip(found, expected, strict=True):
        assert torch.allclose(one, other, atol=1e-4)
    for used in ((0,), (1,), (2,), (3,), (0, 1, 2, 3)):
        if not weighted and used == (2,):
            continue
        gradients = [
            torch.autograd.grad(sum((said[k] * factors[k]).sum() for k in used), leaves, retain_graph=True)
            for said, leaves in ((found, own), (expected, theirs))
        ]
        for one, other in zip(*gradients, strict=True):
            assert one.abs().max() > 0.01
            assert torch.allclose(one, other, atol=1e-4)


@pytest.mark.parametrize("actions_there", FEW_AND_MANY)
def test_illegal_actions_weigh_nothing_whatever_their_logits_and_weights(actions_there):
    values, (weight, bias), masks, actions, weights = made_up(actions_there)
    masks[:, 4], actions[actions == 4] = 0, 5
    masks[:, 5] = 1
    before = choices_made(values, (weight, bias), masks, actions, weights)
    bias[4], weights[masks == 0] = 1e9, float("nan")
    for one, other in zip(before, choices_made(values, (weight, bias), masks, actions, weights), strict=True):
        assert torch.equal(one, other)
    outputs = outputs_of(values, (weight, bias))
    for one, other in zip(before, choices_by_pytorch(outputs, masks, actions, weights), strict=True):
        assert torch.allclose(one, other, atol=1e-4)


def by_pytorch(values, layer, masks):
    return drawn_by_pytorch(outputs_of(values, layer), masks, torch.rand(len(values)))


@pytest.mark.parametrize("actions_there", FEW_AND_MANY)
@pytest.mark.parametrize("way", [draw, by_pytorch])
def test_actions_are_drawn_by_their_probabilities(way, actions_there):
    values, layer, masks, _, _ = made_up(actions_there)
    layer[0].mul_(0.1)
    number = 4000
    drawn, logs, others = way(values.repeat(number, 1), layer, masks.repeat(number, 1))
    outputs = outputs_of(values, layer)
    expected = log_probabilities(outputs[:, :actions_there], masks)
    assert torch.allclose(logs, expected.repeat(number, 1).gather(1, drawn[:, None])[:, 0], atol=1e-4)
    assert torch.allclose(others, outputs[:, actions_there:].repeat(number, 1), atol=1e-4)
    counts = torch.nn.functional.one_hot(drawn.view(number, ROWS), actions_there).sum(0)
    assert not counts[masks == 0].any()
    assert (counts / number - expected.exp()).abs().max() < 0.05


@pytest.mark.parametrize("actions_there", FEW_AND_MANY)
def test_logarithms_of_legal_actions_are_those_over_all_actions(actions_there):
    values, layer, masks, _, _ = made_up(actions_there)
    expected = log_probabilities(outputs_of(values, layer)[:, :actions_there], masks)
    assert torch.allclose(logs_of_legal(values, layer, masks)[masks > 0], expected[masks > 0], atol=1e-4)


def test_what_has_hardly_any_probability_is_not_drawn_because_of_rounding(monkeypatch):
    monkeypatch.setattr(torch, "rand", lambda *shape, **_: torch.full(shape, 1 - 2**-24))
    values, layer, _, _, _ = made_up(19)
    layer[0].mul_(0.1)
    layer[1][18] = -300
    actions, logs, _ = draw(values.repeat(12, 1), layer, torch.ones(12 * ROWS, 19, dtype=torch.int8))
    assert (actions < 18).all() and logs.min() > -20


@pytest.mark.parametrize(("game", "players"), [("brave_rats", 2), ("comme_des_rats", 5), ("rattus_cartus", 3)])
def test_the_network_numbers_players_from_the_seat_that_acts(game, players):
    batch = rat_envs.Batch(game, 64, {} if players == 2 else {"players": players}, seed=3)
    numbering = Numbering(batch.game, players)
    actions = np.zeros(batch.n, np.int64)
    for _ in range(30):
        seats = batch.actors
        masks = numbering.masks(batch.masks, seats)
        for action in range(masks.shape[1]):
            assert np.array_equal(masks[:, action], batch.masks[np.arange(64), numbering.meanings[seats, action]])
        actions[:] = numbering.meanings[seats, masks.argmax(1)]
        assert np.array_equal(numbering.numbers[seats, actions], masks.argmax(1))
        batch.step(actions)


def test_numbers_are_taken_less_their_centre():
    observations = np.random.default_rng(1).integers(-50, 50, (7, 30)).astype(np.int8)
    columns, centre = np.array([3, 4, 17, 29]), np.array([1, -2, 0, 5], np.int8)
    assert np.array_equal(centred(observations[::2], columns, centre), observations[::2][:, columns] - centre)
