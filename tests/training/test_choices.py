"""Choices among legal actions: compiled loops say what PyTorch's own operations over all actions say."""

import numpy as np
import pytest
import torch

import rat_envs
from rat_envs.engine.compile import of_no_game
from rat_envs.training.choices import (
    MANY,
    Lessons,
    draw,
    last_layer,
    legal_actions,
    legal_log_probabilities,
    log_probabilities,
    outputs_of,
)
from rat_envs.training.seeing import Numbering, note_centred, stretches

ROWS, OTHERS, WIDTH = 40, 5, 21
#: Of the outputs beside the logits these are wanted.
WANTED = np.array([0, 1, 3])
#: With few actions all outputs are worked out, with many those that are wanted.
FEW_AND_MANY = (19, 2 * MANY + 5)


def made_up(actions_there):
    """Inputs of the last layer, that layer, and masks of which every row has something legal."""
    torch.manual_seed(1)
    masks = (torch.rand(ROWS, actions_there) < 0.3).to(torch.int8)
    masks[torch.arange(ROWS), torch.arange(ROWS) % actions_there] = 1
    layer = torch.randn(actions_there + OTHERS, WIDTH), torch.randn(actions_there + OTHERS)
    return torch.randn(ROWS, WIDTH), layer, masks


@pytest.mark.parametrize("actions_there", FEW_AND_MANY)
def test_illegal_actions_weigh_nothing_whatever_their_logits(actions_there):
    values, (weight, bias), masks = made_up(actions_there)
    masks[:, 4] = 0
    masks[:, 5] = 1
    before = legal_log_probabilities(last_layer(values, (weight, bias)), masks.numpy())
    bias[4] = 1e9
    after = legal_log_probabilities(last_layer(values, (weight, bias)), masks.numpy())
    assert np.array_equal(before[masks > 0], after[masks > 0])


@pytest.mark.parametrize("actions_there", FEW_AND_MANY)
def test_actions_are_drawn_by_their_probabilities(actions_there):
    values, layer, masks = made_up(actions_there)
    layer[0].mul_(0.1)
    number = 4000
    last = last_layer(values.repeat(number, 1), layer)
    drawn, logs, others = (torch.from_numpy(each) for each in draw(last, masks.repeat(number, 1).numpy(), WANTED))
    outputs = outputs_of(values, layer)
    expected = log_probabilities(outputs[:, :actions_there], masks)
    assert torch.allclose(logs, expected.repeat(number, 1).gather(1, drawn[:, None])[:, 0], atol=1e-4)
    assert torch.allclose(others, outputs[:, actions_there + WANTED].repeat(number, 1), atol=1e-4)
    counts = torch.nn.functional.one_hot(drawn.view(number, ROWS), actions_there).sum(0)
    assert not counts[masks == 0].any()
    assert (counts / number - expected.exp()).abs().max() < 0.05


@pytest.mark.parametrize("actions_there", FEW_AND_MANY)
def test_logarithms_of_legal_actions_are_those_over_all_actions(actions_there):
    values, layer, masks = made_up(actions_there)
    expected = log_probabilities(outputs_of(values, layer)[:, :actions_there], masks)
    found = torch.from_numpy(legal_log_probabilities(last_layer(values, layer), masks.numpy()))
    assert torch.allclose(found[masks > 0], expected[masks > 0], atol=1e-4)


def test_what_has_hardly_any_probability_is_not_drawn_because_of_rounding(monkeypatch):
    monkeypatch.setattr(torch, "rand", lambda *shape, **_: torch.full(shape, 1 - 2**-24))
    values, layer, _ = made_up(19)
    layer[0].mul_(0.1)
    layer[1][18] = -300
    actions, logs, _ = draw(last_layer(values.repeat(12, 1), layer), np.ones((12 * ROWS, 19), np.int8), WANTED)
    assert (actions < 18).all() and logs.min() > -20


@pytest.mark.parametrize("actions_there", FEW_AND_MANY)
def test_lessons_of_some_decisions_are_those_of_all(actions_there):
    random = np.random.default_rng(2)
    masks = made_up(actions_there)[2].numpy()
    actions = np.array([random.choice(np.flatnonzero(mask)) for mask in masks])
    rows = random.permutation(ROWS)[:30]
    numbers = [random.normal(size=shape).astype(np.float32) for shape in (30, 30, (30, OTHERS), 30)]
    lessons = Lessons(*legal_actions(masks, actions, rows), *numbers)
    for chosen in (np.arange(30), random.permutation(30)[:11]):
        part = lessons.part(chosen)
        for number, i in enumerate(chosen):
            legal = part.legal[part.ends[number] : part.ends[number + 1]]
            assert np.array_equal(legal, np.flatnonzero(masks[rows[i]]))
            assert legal[part.done[number]] == actions[rows[i]]
        for found, all_of_them in zip(part[3:], numbers, strict=True):
            assert np.array_equal(found, all_of_them[chosen])


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
        noted = np.full_like(masks, -1)
        numbering.note(noted, np.array([3, 60]), batch.masks, seats)
        assert np.array_equal(noted[[3, 60]], masks[[3, 60]]) and (np.delete(noted, [3, 60], 0) == -1).all()
        actions[:] = numbering.meanings[seats, masks.argmax(1)]
        assert np.array_equal(numbering.numbers[seats, actions], masks.argmax(1))
        batch.step(actions)


@pytest.mark.parametrize("seed", range(5))
def test_numbers_are_noted_less_their_centre(seed):
    random = np.random.default_rng(seed)
    width = int(random.integers(6, 200))
    observations = random.integers(-50, 50, (7, width)).astype(np.int8)
    skipped = random.random(width) < (0.02, 0.5)[seed % 2]  # long stretches, and short ones
    columns, rows = np.flatnonzero(~skipped), np.array([0, 2, 6])
    centre = random.integers(-9, 9, len(columns)).astype(np.int8)
    found = np.full((7, len(columns) + 2), 99, np.int8)
    of_no_game(note_centred)(found, rows, observations, columns, stretches(columns), centre)
    assert np.array_equal(found[rows, :-2], observations[rows][:, columns] - centre)
    assert (np.delete(found, rows, 0) == 99).all() and (found[:, -2:] == 99).all()
