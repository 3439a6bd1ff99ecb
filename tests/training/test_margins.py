"""The lead in points as part of the learner's reward."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from rat_envs.agents import make_agent
from rat_envs.api.learner import LearnerGames
from rat_envs.engine.compile import of_no_game
from rat_envs.engine.position import Position
from rat_envs.engine.results import results_of
from rat_envs.training.margins import FULL_LEAD, MarginVecEnv, write_leads

WEIGHT = 0.5


def lead(games: LearnerGames, i: int) -> int:
    """The learner's points less those of the best other seat in the game that has just ended."""
    position = Position(games.batch.game, games.batch.configurations[0])
    position._rows[0] = games.final_states[i]
    mine = position.scores().pop(games.finished_seats[i])
    others = position.scores()
    del others[games.finished_seats[i]]
    return mine - max(others)


def test_only_the_last_reward_has_the_lead_added():
    games = LearnerGames("brave_rats", [make_agent("random", "brave_rats", 1)], 16, seed=1)
    environment = MarginVecEnv(games, WEIGHT)
    environment.reset()
    leads = []
    for _ in range(40):
        _, rewards, dones, _ = environment.step(games.masks.argmax(axis=1))
        assert not rewards[~dones].any()
        for i in np.flatnonzero(dones):
            leads.append(lead(games, i))
            added = WEIGHT * np.clip(leads[-1] / FULL_LEAD, -1, 1)
            assert rewards[i] == pytest.approx(games.rewards[i] + added)
    assert len(leads) > 20 and min(leads) < 0 < max(leads)


def test_the_dead_have_the_largest_arrears_and_no_one_is_compared_with_them():
    opponents = [make_agent("random", "rattus_cartus", seat) for seat in range(3)]
    games = LearnerGames("rattus_cartus", opponents, 64, {"players": 4}, seed=1)
    environment = MarginVecEnv(games, WEIGHT)
    environment.reset()
    dead = alone = behind = ahead = 0
    for _ in range(160):
        _, rewards, dones, _ = environment.step(games.masks.argmax(axis=1))
        for i in np.flatnonzero(dones):
            row, seat = games.final_states[i], int(games.finished_seats[i])
            survives = row["rats"][:4] <= (row["nun"] % 5).sum()  # RC-65
            points = results_of(games.batch.program, games.final_states[i : i + 1])[0][0, :4]
            others = [int(points[other]) for other in range(4) if other != seat and survives[other]]
            if not survives[seat]:
                dead += 1
                wanted = -FULL_LEAD
            elif not others:
                alone += 1
                wanted = FULL_LEAD
            else:
                wanted = int(points[seat]) - max(others)
                behind += wanted < 0
                ahead += wanted > 0
            assert rewards[i] - games.rewards[i] == pytest.approx(WEIGHT * np.clip(wanted / FULL_LEAD, -1, 1))
    assert min(dead, alone, behind, ahead) > 1


def test_without_weight_rewards_are_those_of_the_game():
    games = LearnerGames("brave_rats", [make_agent("random", "brave_rats", 1)], 16, seed=1)
    environment = MarginVecEnv(games, 0.0)
    environment.reset()
    for _ in range(20):
        _, rewards, _, _ = environment.step(games.masks.argmax(axis=1))
        assert np.array_equal(rewards, games.rewards)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_lead_is_over_the_best_of_the_others(players):
    random = np.random.default_rng(players)
    points = random.integers(-3, 4, (500, 5)).astype(np.int32)
    won, out = random.integers(2, size=(2, 500, 5)).astype(np.int8)
    found = np.zeros((500, players), np.int64)
    of_no_game(write_leads)(points, won, out, found)
    for i in range(500):
        own = points[i, :players].tolist()
        counted = [min(own) - FULL_LEAD if out[i, seat] else own[seat] for seat in range(players)]
        for seat in range(players):
            ahead = counted[seat] - max(counted[:seat] + counted[seat + 1 :])
            has_lost = out[i, seat] or (ahead > 0 and not won[i, seat])
            assert found[i, seat] == (-FULL_LEAD if has_lost else ahead)
