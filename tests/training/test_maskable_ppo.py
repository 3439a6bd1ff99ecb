"""Self-play: what is learnt from. What it shares with other learners is in test_run.py."""

from __future__ import annotations

import numpy as np
import pytest
from learners import MASKABLE_PPO, edit, refusal

from rat_envs.agents.learnt import load_policy
from rat_envs.engine.errors import ConfigurationError
from rat_envs.training.checkpoints import CHECKPOINT
from rat_envs.training.maskable_ppo import SelfPlay
from rat_envs.training.opponents import FrozenSelf
from rat_envs.training.run import POLICY, train


@pytest.fixture(scope="module")
def learner():
    """What these tests are about."""
    return MASKABLE_PPO


def test_run_returns_and_saves_the_mean_of_its_policies(uninterrupted):
    folder, result, _ = uninterrupted
    saved = load_policy(folder / POLICY, "brave_rats")
    assert all(map(np.array_equal, saved.networks.weights, result.agent.networks.weights))
    assert len(result.untrained.networks) == 1 and len(saved.networks) >= 2


def test_opponents_change_only_between_games(tmp_path):
    run = SelfPlay(MASKABLE_PPO.tiny(tmp_path, older_at_once=1))
    games = run.games
    playing = [games.opponents[number] for number in games.opponent_of]
    seen, seats = set(), set()

    def check() -> bool:
        for i in range(games.n):
            now = games.opponents[games.opponent_of[i]]
            assert games.dones[i] or now is playing[i]
            playing[i] = now
        seen.update(each.update if isinstance(each, FrozenSelf) else None for each in playing)
        seats.update(games.seats.tolist())
        return True

    run.statistics._on_step = check
    for _ in range(10):
        run.update()
    assert None in seen and len(seen) > 5
    assert seats == {0, 1}


def test_history_stays_bounded_and_evenly_spread(tmp_path):
    run = SelfPlay(MASKABLE_PPO.tiny(tmp_path))
    for update in range(1, 50):
        run.pool.add(run.pool.latest.networks, update)
        kept = [frozen.update for frozen in run.pool.history]
        assert len(kept) <= 3 and kept == list(range(0, update + 1, run.pool.spacing))


@pytest.mark.parametrize("part", ["opponents", "statistics"])
def test_edited_checkpoint_is_refused(stopped, part):
    edit(stopped, **{part: {}})
    assert CHECKPOINT in refusal(MASKABLE_PPO.tiny(stopped, 9, resume=True))


def test_checkpoint_with_other_options_is_refused(stopped):
    assert "learning_rate" in refusal(MASKABLE_PPO.tiny(stopped, 9, resume=True, learning_rate=0.5))


@pytest.mark.parametrize(
    "wrong",
    [
        {"num_games": 0},
        {"steps": None},
        {"opponents": {"random": 0.7}, "latest_share": 0.7},
        {"opponents": {"random": -0.1}},
        {"average_share": 0.0},
        {"imitation_steps": -1},
        {"halving_steps": 0},
        {"history": 0},
        {"older_at_once": -1},
        {"learning_rate": -1.0},
        {"learning_rate": 1e3},
        {"clip_range": 1e40},
        {"config": {"hands": "none"}},
        {"activation": "step"},
    ],
)
def test_wrong_options_are_refused(tmp_path, wrong):
    with pytest.raises(ConfigurationError):
        train(MASKABLE_PPO.tiny(tmp_path, 1, **wrong))
