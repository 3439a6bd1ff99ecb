"""Networks that take what varies, on one scale: the policy that is saved takes observations as they are."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch
from pennies import PENNIES

from rat_envs.agents.policy import networks_of
from rat_envs.api.seats import SeatViews
from rat_envs.engine.batch import Batch
from rat_envs.engine.registry import register, unregister
from rat_envs.training.maskable_ppo import MaskablePPOOptions, SelfPlay
from rat_envs.training.recommended import recommended_options
from rat_envs.training.run import train
from rat_envs.training.scaling import scale_of

CONFIG = {"fast": True}


def options(folder, steps: int = 256) -> MaskablePPOOptions:
    """A run of a few updates of 64 moves."""
    return MaskablePPOOptions(
        config=CONFIG,
        folder=str(folder),
        minutes=None,
        steps=steps,
        num_games=8,
        steps_per_update=8,
        minibatch=32,
        hidden=(16,),
        scaled=True,
        tensorboard=False,
    )


def test_what_varies_has_a_spread_and_the_rest_none():
    scale = scale_of("brave_rats", CONFIG, seed=3)
    assert scale["mean"].dtype == scale["spread"].dtype == np.float32
    assert (scale["spread"] >= 0).all() and 0 < (scale["spread"] > 0).sum() < len(scale["spread"])
    again = scale_of("brave_rats", CONFIG, seed=3)
    assert all(np.array_equal(scale[name], again[name]) for name in scale)


@pytest.fixture
def pennies():
    """A game in which nothing that is seen ever varies, registered for the moment."""
    register(PENNIES)
    yield PENNIES.name
    unregister(PENNIES.name)


@pytest.mark.parametrize("learner", ["ppo", "search"])
def test_a_game_in_which_nothing_seen_varies_is_learnt(learner, pennies, tmp_path):
    few = {"num_games": 8, "steps_per_update": 8, "minibatch": 32} if learner != "search" else {"sims": 8}
    result = train(
        recommended_options(
            learner, pennies, **few, hidden=(16,), steps=64, minutes=None, folder=str(tmp_path), evaluations=1
        )
    )
    assert result.steps >= 64
    chances = result.agent.policy_batch(SeatViews(Batch(pennies, 1, seed=0)))
    assert chances.shape == (1, 2) and np.isclose(chances.sum(), 1)


def test_a_game_registered_here_is_learnt_by_several_processes(pennies, tmp_path):
    few = {"num_games": 8, "steps_per_update": 8, "minibatch": 32, "processes": 2, "hidden": (16,)}
    options = recommended_options("ppo", pennies, **few, steps=64, minutes=None, folder=str(tmp_path), evaluations=0)
    assert train(options).steps >= 64


def test_saved_policy_chooses_as_the_learner_does(tmp_path):
    run = SelfPlay(options(tmp_path))
    run.update()
    games, policy = run.games, run.model.policy
    with torch.no_grad():
        seen = torch.from_numpy(games.observations.astype(np.float32))
        expected = policy.get_distribution(seen, games.masks.astype(bool)).distribution.probs.numpy()
    networks = networks_of(policy)
    assert networks.layers[0] == games.observations.shape[1]
    assert np.allclose(networks.probabilities(games.observations, games.masks)[0], expected, atol=1e-5)


def test_resumed_run_equals_one_that_was_never_stopped(tmp_path):
    whole = train(options(tmp_path / "whole"))
    train(options(tmp_path / "parts", 128))
    parts = train(dataclasses.replace(MaskablePPOOptions.saved(tmp_path / "parts"), steps=256))
    assert parts.updates == whole.updates == 4
    assert all(map(np.array_equal, parts.agent.networks.weights, whole.agent.networks.weights))
