"""Imitation: the learner comes to do what the agent does, then goes on by itself."""

from __future__ import annotations

import numpy as np
import pytest
from learners import PPO

from agents import make_agent
from agents.rules_of_thumb import choose_all, rule_of_thumb
from rat_envs.api.seats import SeatViews
from rat_envs.engine.batch import Batch
from rat_envs.engine.program import program
from training.self_play import SelfPlay

LARGER = {"num_games": 256, "minibatch": 512, "epochs": 4, "hidden": (64, 64), "average_share": 0.1}


def share_alike(run: SelfPlay) -> float:
    """The chance that the learner does what the agent does, in the mean over positions of random play."""
    batch = Batch("brave_rats", 500, seed=1)
    for _ in range(3):
        batch.step_random()
    views = SeatViews(batch)
    shown = make_agent("greedy", "brave_rats", 0).policy(views)
    learnt = run.agent().policy(views)
    return float((learnt * shown).sum(axis=1).mean())


def test_the_learner_comes_to_do_what_the_agent_does(tmp_path):
    run = SelfPlay(PPO.tiny(tmp_path, imitation_steps=40 * 256 * 8, **LARGER))
    before = share_alike(run)
    for _ in range(40):
        run.update()
    assert before < 0.3 and share_alike(run) > 0.6


def test_it_notes_the_agents_moves_in_place_of_its_own(tmp_path):
    run = SelfPlay(PPO.tiny(tmp_path))
    rule = program(run.games.batch.game).bind(choose_all, choose=rule_of_thumb("greedy", run.games.batch.game))
    for _ in range(2):
        run.play(run.watching)
        seen = run.model.rollout_buffer
        observations = seen.observations.astype(np.int8).view(run.games.batch.game.observation)
        expected = np.zeros(seen.actions.shape, np.int64)
        for step, masks in enumerate(seen.action_masks.astype(np.int8)):
            rule(observations[step, :, 0], masks, expected[step, :, 0])
        np.testing.assert_array_equal(seen.actions, expected)


@pytest.mark.parametrize("updates", [1, 2, 3])
def test_afterwards_it_learns_from_rewards(tmp_path, monkeypatch, updates):
    run = SelfPlay(PPO.tiny(tmp_path))
    calls = []
    monkeypatch.setattr(run.model, "train", lambda: calls.append(run.steps))
    monkeypatch.setattr("training.self_play.imitate", lambda model: calls.append(-run.steps))
    for _ in range(updates):
        run.logger.record("train/entropy_loss", 0.0)
        run.update()
    assert calls == [-64, -128, 192][:updates]
