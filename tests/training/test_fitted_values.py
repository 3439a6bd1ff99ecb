"""Learning values: it gets better. What it shares with other learners is in test_run.py."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from learners import LOOKAHEAD, checkpoint, edit, refusal

from rat_envs.agents.learnt import load_policy
from rat_envs.api.named_agents import make_agent
from rat_envs.api.seats import SeatViews
from rat_envs.arena import play_match
from rat_envs.engine import Batch
from rat_envs.engine.archive import write_archive
from rat_envs.engine.errors import ConfigurationError
from rat_envs.training.checkpoints import CHECKPOINT
from rat_envs.training.fitted_values import FittedValues
from rat_envs.training.run import POLICY, train


@pytest.fixture(scope="module")
def learner():
    """What these tests are about."""
    return LOOKAHEAD


def test_run_says_what_it_expects_and_returns_the_agent(uninterrupted):
    folder, result, reports = uninterrupted
    assert "expects" in reports[-1].words() and set(reports[-1].expected) == {"at worst", "against random"}
    views = SeatViews(Batch("brave_rats", 20, {"fast": True}, seed=1))
    assert np.array_equal(load_policy(folder / POLICY).policy_batch(views), result.agent.policy_batch(views))
    assert not result.untrained.network.outputs(views.observations).any(), "nothing is known before"
    assert result.agent.network.outputs(views.observations).any()


def test_saved_network_values_as_the_learner_does(tmp_path):
    run = FittedValues(LOOKAHEAD.tiny(tmp_path))
    run.update()
    batch = Batch("brave_rats", 100, {"fast": True}, seed=3)
    for _ in range(5):
        batch.step_random()
    assert np.allclose(run.network().outputs(batch.observations)[0], run.value(batch.observations), atol=1e-5)


def test_it_takes_no_more_cores_than_it_may_use_and_learns_the_same(tmp_path, monkeypatch):
    learnt, used, before = [], list[int](), torch.get_num_threads()
    for cores in (1, 2):
        monkeypatch.setattr("rat_envs.training.fitted_values.available_cores", lambda cores=cores: cores)
        result = train(
            LOOKAHEAD.tiny(tmp_path / f"{cores}", 2, threads=2), lambda _: used.append(torch.get_num_threads())
        )
        learnt.append(result.agent.fingerprint())
    assert used == [1, 1, 2, 2]
    assert learnt[0] == learnt[1] and torch.get_num_threads() == before


def test_some_seconds_of_learning_are_worth_something(tmp_path):
    """Some hundred gradient steps; the untrained agent sees one round, and what ends there."""
    result = train(LOOKAHEAD.tiny(tmp_path, 40, num_games=256, steps=40 * 4 * 256, hidden=(32, 32)))
    returns = {}
    for name, agent in (("learnt", result.agent), ("untrained", result.untrained)):
        match = play_match("brave_rats", [agent, make_agent("random", "brave_rats", 1)], {"fast": True}, 2000, seed=2)
        returns[name] = match.agents[0].mean_return
    assert returns["learnt"].low > returns["untrained"].high


@pytest.mark.parametrize("part", ["random", "fits"])
def test_edited_checkpoint_is_refused(stopped, part):
    edit(stopped, **{part: None})
    assert CHECKPOINT in refusal(LOOKAHEAD.tiny(stopped, 9, resume=True))


@pytest.mark.parametrize("part", ["newest/first.weight", "optimiser/steps", "optimiser/squares", "crossed_keys"])
def test_checkpoint_without_an_array_is_refused(stopped, part):
    edit(stopped, without=part)
    assert CHECKPOINT in refusal(LOOKAHEAD.tiny(stopped, 9, resume=True))


def test_checkpoint_with_other_options_is_refused(stopped):
    assert "random_weight" in refusal(LOOKAHEAD.tiny(stopped, 9, resume=True, random_weight=0.1))


@pytest.mark.parametrize("fits", [-1, 10**6])
def test_a_number_of_steps_that_cannot_be_is_refused(stopped, fits):
    edit(stopped, fits=fits)
    assert CHECKPOINT in refusal(LOOKAHEAD.tiny(stopped, 9, resume=True))


def test_nothing_needs_to_be_crossed(tmp_path):
    assert train(LOOKAHEAD.tiny(tmp_path, 1, crossed=())).agent.network.crossed.tables.shape == (1, 2, 16)


def test_games_that_its_rules_never_lead_to_are_refused(stopped):
    header, arrays = checkpoint(stopped)
    games = np.random.default_rng(0).integers(256, size=arrays["games"].shape, dtype=np.uint8)
    write_archive(stopped / CHECKPOINT, header, {**arrays, "games": games})
    assert "damaged" in refusal(LOOKAHEAD.tiny(stopped, 9, resume=True))


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"num_games": 0}, "num_games"),
        ({"random_weight": 1.5}, "random_weight"),
        ({"halving_steps": 0}, "halving_steps"),
        ({"learning_rate": -1.0}, "learning_rate"),
        ({"hidden": ()}, "hidden"),
        ({"crossed": ("no_such_field",)}, "opponent_cards"),
        ({"config": {"draw_pile": True}}, "draw_pile"),
        ({"game": "rattus", "config": {}, "crossed": ()}, "simultaneous"),
    ],
)
def test_wrong_options_are_refused(tmp_path, wrong, reason):
    with pytest.raises(ConfigurationError, match=reason):
        train(LOOKAHEAD.tiny(tmp_path, 1, **wrong))
