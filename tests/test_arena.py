"""The arena: seats rotate, a deal is the same in every seating, the numbers are right."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from agents.arena import Estimate, MatchResult, mean_estimate, play_match, play_opponents, rate_estimate
from agents.protocol import Agent
from agents.random import RandomAgent
from rat_envs.api.seats import SeatViews
from rat_envs.engine.errors import ConfigurationError


class InOrder(Agent):
    """Plays its cards in a fixed order, the highest first or the lowest first; when drafting too."""

    def __init__(self, highest: bool) -> None:
        super().__init__(0)
        self.name = "highest" if highest else "lowest"
        self.highest = highest

    def policy(self, views: SeatViews) -> np.ndarray:
        actions = np.arange(views.masks.shape[1])
        rank = np.where(views.masks > 0, actions if self.highest else -actions, -1000)
        return np.eye(len(actions))[rank.argmax(axis=1)]


class Witness(RandomAgent):
    """Notes the first observation of every game from each seat."""

    def __init__(self) -> None:
        super().__init__(0)
        self.seen: list[tuple[int, bytes]] = []

    def act_batch(self, views: SeatViews) -> np.ndarray:
        first = views.observations.view(views.game.observation)["own_hand"][:, 0].sum(axis=1) == 8
        self.seen += [(int(views.seats[i]), views.observations[i].tobytes()) for i in np.flatnonzero(first)]
        return super().act_batch(views)


def test_the_highest_card_first_against_the_lowest_first_ends_as_by_hand() -> None:
    """Prince and Musician: on hold. General beats Princess: two rounds. Wizard beats Spy: three. Ambassador loses to
    Assassin, who then, on the other side, beats Ambassador: four."""
    result = play_match("brave_rats", [InOrder(True), InOrder(False)], games=40, seed=1)
    highest, lowest = result.agents
    assert (highest.name, highest.games, highest.wins, highest.draws, highest.losses) == ("highest", 40, 40, 0, 0)
    assert (lowest.wins, lowest.losses, lowest.mean_return.mean) == (0, 40, -1.0)
    assert highest.mean_return == Estimate(1.0, 1.0, 1.0)
    assert (highest.win_rate.low, highest.win_rate.high) == pytest.approx((20 / (20 + 1.959964**2), 1.0))
    from_seats = [(seat.seat, seat.games, seat.wins, seat.mean_return) for seat in highest.seats]
    assert from_seats == [(0, 20, 20, 1), (1, 20, 20, 1)]


@pytest.mark.parametrize("config", [{}, {"hands": "random", "draw_pile": True}, {"hands": "draft", "emperor": True}])
def test_swapping_the_agents_mirrors_the_result(config: dict[str, Any]) -> None:
    one, other = InOrder(True), InOrder(False)
    forth = play_match("brave_rats", [one, other], config, 200, 5)
    back = play_match("brave_rats", [other, one], config, 200, 5)
    assert forth.agents == back.agents[::-1]


def test_an_agent_against_itself_is_at_par_and_two_names_can_be_told_apart() -> None:
    agent = RandomAgent(0)
    result = play_match("brave_rats", [agent, agent], games=4000, seed=2)
    first, second = result.agents
    assert (first.name, second.name) == ("random", "random (2)")
    assert first.mean_return.mean == -second.mean_return.mean
    assert first.mean_return.low < 0 < first.mean_return.high
    assert 0.05 < first.mean_return.high - first.mean_return.low < 0.07
    assert (first.wins, first.draws, first.losses) == (second.losses, second.draws, second.wins)


def test_a_deal_is_the_same_in_every_seating_and_deals_differ() -> None:
    """Each agent meets each deal once from each seat, so both see the same first hands."""
    witnesses = Witness(), Witness()
    play_match("brave_rats", witnesses, {"hands": "random"}, 60, 3)
    seen = [sorted(hand for seat, hand in witness.seen if seat == 0) for witness in witnesses]
    assert seen[0] == seen[1]
    assert len(seen[0]) == 30
    assert len(set(seen[0])) > 25


def test_same_seed_same_result_and_the_agents_are_left_as_they_were() -> None:
    agents = [RandomAgent(1), RandomAgent(2)]
    before = [agent.get_state() for agent in agents]

    def run(seed: int) -> MatchResult:
        return play_match("brave_rats", agents, {"emperor": True}, 100, seed)

    first = run(9)
    agents[0].random.random()
    assert run(9) == first
    assert run(10) != first
    agents[0].set_state(before[0])
    assert [agent.get_state() for agent in agents] == before


def test_many_games_go_through_in_parts_with_progress() -> None:
    seen: list[tuple[int, int]] = []
    result = play_match("brave_rats", [InOrder(True), InOrder(False)], games=9001, progress=lambda *at: seen.append(at))
    assert (result.games, result.deals) == (9002, 4501)
    assert seen == [(4096, 9002), (8192, 9002), (9002, 9002)]


def test_tables_and_json() -> None:
    result = play_match("brave_rats", [InOrder(True), RandomAgent(0)], {"fast": True}, 20)
    head, *rows = result.table()
    assert {len(row) for row in rows} == {len(head)}
    assert [row[0] for row in rows] == ["highest", "random"]
    read = json.loads(json.dumps(result.to_json()))
    assert (read["game"], read["config"]["fast"], read["games"], read["deals"]) == ("brave_rats", True, 20, 10)
    assert read["agents"][0]["mean_return"]["mean"] == result.agents[0].mean_return.mean
    assert len(read["agents"][1]["seats"]) == 2


def test_several_opponents() -> None:
    results = play_opponents("brave_rats", InOrder(True), [InOrder(False), RandomAgent(0)], games=100)
    assert list(results) == ["lowest", "random"]
    assert results["lowest"].wins == 100
    assert results["random"].name == "highest"


@pytest.mark.parametrize(
    ("agents", "games", "sentence"),
    [(1, 10, "1 agents for 2 seats"), (3, 10, "3 agents for 2 seats"), (2, 2, "games=2: must be more than 2")],
)
def test_wrong_arguments_are_answered_in_a_sentence(agents: int, games: int, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        play_match("brave_rats", [RandomAgent(0)] * agents, games=games)


def test_intervals_cover_what_they_should() -> None:
    """Deals of two games whose results are alike, unlike or independent: 95 % of intervals hold the true value."""
    random = np.random.default_rng(0)
    for together in ("alike", "independent"):
        inside = np.zeros(2)
        for _ in range(1000):
            games = random.random((200, 2)) < 0.3
            if together == "alike":
                games[:, 1] = games[:, 0]
            by_deal = games.mean(axis=1)
            for place, estimate in enumerate((mean_estimate(by_deal), rate_estimate(by_deal, 2))):
                inside[place] += estimate.low <= 0.3 <= estimate.high
        assert (abs(inside / 1000 - 0.95) < 0.025).all(), (together, inside)
