"""The chance after a last decision, drawn again."""

from __future__ import annotations

import numpy as np
import pytest

from rat_envs.engine.batch import Batch
from rat_envs.engine.final_chance import FinalChance
from rat_envs.engine.registry import get_game


def last_decisions(game: str, config: dict, games: int) -> list[tuple[np.ndarray, np.ndarray, int]]:
    """Of some games of random play: the returns, the state before the last decision, and that decision."""
    batch, random, found = Batch(game, games, config, 5, auto_reset=False), np.random.default_rng(5), []
    while (under_way := batch.actors >= 0).any():
        actions = np.array([random.choice(np.flatnonzero(mask)) if mask.any() else -1 for mask in batch.masks])
        before = batch.states.copy()
        batch.step(np.where(under_way, actions, -1))
        for i in np.flatnonzero(batch.dones):
            found.append((batch.rewards[i].copy(), before[i], int(actions[i])))
    return found


@pytest.mark.parametrize("draws", [2, 50])
def test_the_mean_is_that_of_the_game_and_of_all_that_have_ended(draws: int) -> None:
    game = get_game("rattus")
    chance = FinalChance(game, {"players": 2}, draws)
    for number, (returns, before, action) in enumerate(last_decisions("rattus", {"players": 2}, 20)):
        mean = chance.mean_returns(returns, before, action, number)
        ended = chance.draw(before, action, number)
        assert np.array_equal(ended, range(draws - 1)), "in Rattus every last decision is the last"
        assert mean[:2] == pytest.approx((returns[:2] + chance.batch.rewards[:, :2].sum(0)) / draws)
        assert np.array_equal(mean, chance.mean_returns(returns, before, action, number)), "the same seed"


def test_the_mean_comes_near_to_what_is_expected() -> None:
    """Two sets of many draws agree, where single games do not."""
    chance = FinalChance(get_game("rattus"), {"players": 2}, 4000)
    uncertain = 0
    for returns, before, action in last_decisions("rattus", {"players": 2}, 8):
        one, other = (chance.mean_returns(returns, before, action, seed)[0] for seed in (1, 10**6))
        assert one == pytest.approx(other, abs=0.1)
        uncertain += abs(one) < 0.95
    assert uncertain >= 2


def test_games_that_go_on_are_left_out() -> None:
    """In Comme des Rats a rat may be the third, which ends the game, or another."""
    game = get_game("comme_des_rats")
    chance, some_went_on = FinalChance(game, {"players": 2}, 40), False
    for returns, before, action in last_decisions("comme_des_rats", {"players": 2}, 60):
        ended = chance.draw(before, action, 3)
        some_went_on |= len(ended) < 39
        assert np.array_equal(ended, np.flatnonzero(chance.batch.actors < 0))
        expected = (returns + chance.batch.rewards[ended].sum(0)) / (1 + len(ended))
        assert chance.mean_returns(returns, before, action, 3) == pytest.approx(expected)
    assert some_went_on
