"""Choices among legal actions: compiled loops say what PyTorch's own operations over all actions say."""

import numpy as np
import pytest
import torch

import rat_envs
from rat_envs.training.choices import choices_by_pytorch, choices_made, draw, drawn_by_pytorch, log_probabilities
from rat_envs.training.seeing import Numbering, centred

ROWS, ACTIONS, OTHERS = 40, 19, 3


def made_up():
    """Outputs, masks of which every row has something legal, a legal action for each, and weights."""
    torch.manual_seed(1)
    masks = (torch.rand(ROWS, ACTIONS) < 0.3).to(torch.int8)
    masks[torch.arange(ROWS), torch.arange(ROWS) % ACTIONS] = 1
    actions = masks.float().multinomial(1)[:, 0]
    return 3 * torch.randn(ROWS, ACTIONS + OTHERS), masks, actions, torch.randn(ROWS, ACTIONS)


@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_said_of_choices_and_its_gradient_are_autograds(weighted):
    outputs, masks, actions, weights = made_up()
    factors = [torch.randn(ROWS), torch.randn(ROWS), torch.randn(ROWS), torch.randn(ROWS, OTHERS)]
    own, theirs = (outputs.clone().requires_grad_() for _ in range(2))
    given = masks, actions, weights if weighted else None
    found, expected = choices_made(own, *given), choices_by_pytorch(theirs, *given)
    for one, other in zip(found, expected, strict=True):
        assert torch.allclose(one, other, atol=1e-5)
    for used in ((0,), (1,), (2,), (3,), (0, 1, 2, 3)):
        if not weighted and used == (2,):
            continue
        gradients = [
            torch.autograd.grad(sum((said[k] * factors[k]).sum() for k in used), leaf, retain_graph=True)[0]
            for said, leaf in ((found, own), (expected, theirs))
        ]
        assert gradients[0].abs().max() > 0.01
        assert torch.allclose(*gradients, atol=1e-5)


def test_illegal_actions_weigh_nothing_whatever_their_logits_and_weights():
    outputs, masks, actions, weights = made_up()
    before = choices_made(outputs, masks, actions, weights)
    illegal = masks == 0
    outputs[:, :ACTIONS][illegal], weights[illegal] = 1e9, float("nan")
    for one, other in zip(before, choices_made(outputs, masks, actions, weights), strict=True):
        assert torch.equal(one, other)
    for one, other in zip(before, choices_by_pytorch(outputs, masks, actions, weights), strict=True):
        assert torch.allclose(one, other, atol=1e-5)


def by_pytorch(logits, masks):
    return drawn_by_pytorch(logits, masks, torch.rand(len(logits)))


@pytest.mark.parametrize("way", [draw, by_pytorch])
def test_actions_are_drawn_by_their_probabilities(way):
    outputs, masks, _, _ = made_up()
    number = 4000
    drawn, logs = way(outputs[:, :ACTIONS].repeat(number, 1), masks.repeat(number, 1))
    expected = log_probabilities(outputs[:, :ACTIONS], masks)
    assert torch.allclose(logs, expected.repeat(number, 1).gather(1, drawn[:, None])[:, 0], atol=1e-5)
    counts = torch.nn.functional.one_hot(drawn.view(number, ROWS), ACTIONS).sum(0)
    assert not counts[masks == 0].any()
    assert (counts / number - expected.exp()).abs().max() < 0.05


def test_what_has_hardly_any_probability_is_not_drawn_because_of_rounding(monkeypatch):
    monkeypatch.setattr(torch, "rand", lambda *shape, **_: torch.full(shape, 1 - 2**-24))
    logits = torch.randn(500, ACTIONS)
    logits[:, -1] = -300
    actions, logs = draw(logits, torch.ones(500, ACTIONS, dtype=torch.int8))
    assert (actions < ACTIONS - 1).all() and logs.min() > -20


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
