"""The first layer from what has changed: the same sums and gradients as from all numbers of every decision."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from rat_envs.training import changes, ppo
from rat_envs.training.changes import LONGEST, Changes, KeptSums, Whole, chains_of
from rat_envs.training.ppo import PPO, PPOOptions

NUMBERS, BESIDE, WIDTH = 37, 2, 11


def rollout(seed: int, length: int = 40, games: int = 5, seats: int = 3):
    """Who decides, which decisions are learnt from, and observations of which few numbers change."""
    random = np.random.default_rng(seed)
    actors = random.integers(seats, size=(length, games))
    learnt = random.random((length, games)) < 0.8
    observations = random.integers(-128, 128, (length, games, NUMBERS + BESIDE)).astype(np.int8)
    same = random.random(observations.shape) < 0.9
    for t in range(1, length):
        observations[t] = np.where(same[t], observations[t - 1], observations[t])
    return actors, learnt, observations


@given(st.integers(0, 10**6))
def test_every_decision_is_in_one_chain_of_one_seat_in_order(seed):
    actors, learnt, _ = rollout(seed)
    chains = chains_of(learnt, actors, LONGEST)
    assert sorted(chains.rows) == list(np.flatnonzero(learnt))
    times, games = np.divmod(chains.rows, learnt.shape[1])
    for begin, end in zip(chains.begins[:-1], chains.begins[1:], strict=True):
        assert 0 < end - begin <= LONGEST
        t, game = times[begin:end], games[begin]
        seat = actors[t[0], game]
        between = slice(t[0], t[-1] + 1)
        own = learnt[between, game] & (actors[between, game] == seat)
        assert (games[begin:end] == game).all() and np.array_equal(np.flatnonzero(own) + t[0], t)


@given(st.integers(0, 10**6), st.integers(1, 200))
def test_parts_are_of_one_size_and_share_nothing(seed, size):
    actors, learnt, _ = rollout(seed)
    chains = chains_of(learnt, actors, LONGEST)
    parts = list(chains.parts(max(1, round(len(chains.rows) / size))))
    rows = np.concatenate([part.rows for part in parts])
    assert len(parts) == max(1, round(learnt.sum() / size))
    assert {len(part.rows) for part in parts} == {learnt.sum() // len(parts)}
    assert len(set(rows)) == len(rows) and learnt.ravel()[rows].all()


@pytest.mark.parametrize("longest", [1, LONGEST])
def test_parts_say_which_decisions_of_the_rollout_they_are(longest):
    actors, learnt, _ = rollout(2)
    chains = chains_of(learnt, actors, longest)
    for part in chains.parts(max(1, round(len(chains.rows) / 30))):
        assert np.array_equal(part.rows, chains.rows[part.numbers])
        assert len(set(part.chains)) == len(part.chains)
        assert np.isin(part.numbers, np.concatenate([np.arange(*chains.begins[k : k + 2]) for k in part.chains])).all()


@pytest.mark.parametrize("room", [0, 1, 3])
def test_there_is_room_for_however_much_changes(room, monkeypatch):
    actors, learnt, observations = rollout(1)
    chains, flat = chains_of(learnt, actors, LONGEST), observations.reshape(-1, NUMBERS + BESIDE)
    expected = Changes(chains, flat, NUMBERS, torch.float32)
    monkeypatch.setattr(changes, "MANY_CHANGES", room)
    found = Changes(chains, flat, NUMBERS, torch.float32)
    number = expected.ends[-1]
    assert number > room * len(chains.rows) and np.array_equal(found.ends, expected.ends)
    assert np.array_equal(found.places[:number], expected.places[:number])
    assert np.array_equal(found.amounts[:number], expected.amounts[:number])


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(10, 60))
def test_sums_and_gradients_are_those_of_all_numbers(seed, size):
    actors, learnt, observations = rollout(seed)
    chains = chains_of(learnt, actors, LONGEST)
    flat = observations.reshape(-1, NUMBERS + BESIDE)
    random = torch.Generator().manual_seed(seed)
    layer = [torch.randn(WIDTH, NUMBERS, generator=random), torch.randn(WIDTH, generator=random)]
    changed = Changes(chains, flat, NUMBERS, torch.float32)
    whole = Whole.of(flat, NUMBERS, torch.float32, torch.device("cpu"))
    for chosen in chains.parts(max(1, round(len(chains.rows) / size))):
        found = []
        factors = torch.randn(len(chosen.rows), WIDTH, generator=random)
        for seen in (changed.part(chosen), whole.part(chosen)):
            leaves = [each.clone().requires_grad_() for each in layer]
            sums = seen.sums(*leaves)
            found.append([sums, *torch.autograd.grad((sums * factors).sum(), leaves), seen.last(BESIDE)])
        for one, other in zip(*found, strict=True):
            assert one.shape == other.shape
            assert torch.allclose(one.float(), other.float(), rtol=1e-4, atol=0.02)


def test_kept_sums_go_on_from_what_a_seat_saw_before():
    actors, learnt, observations = rollout(3, seats=2)
    kept = KeptSums(learnt.shape[1], 2, NUMBERS, torch.float32)
    for layers in range(2):
        layer = torch.randn(WIDTH, NUMBERS), torch.randn(WIDTH)
        kept.forget()
        for t in range(len(actors)):
            games = np.flatnonzero(learnt[t])
            seen = kept.at(observations, t, np.append(games, games[:1]), actors[t, np.append(games, games[:1])])
            expected = torch.from_numpy(observations[t, games, :NUMBERS]).float() @ layer[0].T + layer[1]
            assert torch.allclose(seen.sums(*layer)[: len(games)], expected, rtol=1e-4, atol=0.05), (layers, t)
            assert np.array_equal(seen.last(BESIDE)[: len(games)], observations[t, games, NUMBERS:])


@pytest.mark.parametrize(
    "options",
    [
        {"game": "rattus"},
        {"game": "rattus_cartus", "opponents": {"greedy": 0.5}, "separate": True, "regularisation": "mmd"},
        {"game": "comme_des_rats", "recall": 2, "crossed": ("dice", "partner")},
        {"game": "comme_des_rats", "recall": 2, "teacher_steps": 10**6},
    ],
)
def test_a_network_learns_the_same_from_changes_as_from_all_numbers(options, monkeypatch):
    parameters = []
    for many in (0, 10**9):
        monkeypatch.setattr(ppo, "MANY", many)
        monkeypatch.setattr(ppo, "chains_of", lambda learnt, actors, _: chains_of(learnt, actors, LONGEST))
        few = {"num_games": 40, "steps_per_update": 30, "minibatch": 300, "epochs": 2, "hidden": (16, 8)}
        few |= {"device": "cpu"}
        chosen = PPOOptions(minutes=None, steps=10**9, tensorboard=False, precision="float32", **few, **options)
        run = PPO(chosen)
        assert (run.kept is None) == (many > 0)
        run.update()
        parameters.append(torch.cat([each.detach().flatten() for each in run.model.parameters()]))
    assert torch.allclose(*parameters, atol=2e-4)
    first = torch.cat([each.flatten() for each in PPO(chosen).model.parameters()])
    assert (parameters[0] - first).abs().max() > 1e-3
