"""The arena: seats rotate, a deal is the same in every seating, the numbers are right."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest

from rat_envs.agents.heuristics import HeuristicAgent
from rat_envs.agents.random import RandomAgent
from rat_envs.api.agent import Agent
from rat_envs.api.named_agents import make_agent
from rat_envs.api.seats import SeatViews
from rat_envs.arena import (
    Estimate,
    MatchResult,
    make_plan,
    mean_estimate,
    play_match,
    play_opponents,
    play_tournament,
    rate_estimate,
)
from rat_envs.arena.in_html import in_html
from rat_envs.arena.results import distinct, learnt_otherwise
from rat_envs.engine.batch import Batch
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.position import Position
from rat_envs.engine.random import STREAM
from rat_envs.engine.registry import get_game


class InOrder(Agent):
    """Plays its cards in a fixed order, the highest first or the lowest first; when drafting too."""

    def __init__(self, highest: bool) -> None:
        super().__init__(0)
        self.name = "highest" if highest else "lowest"
        self.highest = highest

    def policy_batch(self, views: SeatViews) -> np.ndarray:
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
    assert highest.mean_return == mean_estimate(np.ones(20), -1.0, 1.0)
    assert (highest.win_rate.low, highest.win_rate.high) == pytest.approx((20 / (20 + 1.959964**2), 1.0))
    from_seats = [(seat.seat, seat.games, seat.wins, seat.mean_return) for seat in highest.seats]
    assert from_seats == [(0, 20, 20, 1), (1, 20, 20, 1)]
    assert [seat.return_estimate for seat in lowest.seats] == [mean_estimate(-np.ones(20), -1.0, 1.0)] * 2
    assert [seat.win_share_estimate for seat in highest.seats] == [mean_estimate(np.ones(20), 0.0, 1.0)] * 2
    assert result.seat_returns == (mean_estimate(np.zeros(20), -1.0, 1.0),) * 2
    assert result.length == mean_estimate(np.full(20, 10.0)), "two cards in each of five rounds"


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


def test_results_are_a_line_tables_in_html_and_rows_for_pandas() -> None:
    result = play_match("brave_rats", [InOrder(True), "random"], {"fast": True}, 20)
    mean = result.agents[0].mean_return.mean
    assert repr(result) == f"<MatchResult brave_rats, 20 games: highest {mean:+.3f}, random {-mean:+.3f}>"
    shown = result._repr_html_()
    assert shown.count("<table>") == 1 and shown.count("<tr>") == 3 and "<td>highest</td>" in shown
    html = "<table><tr><th>&lt;a&gt;</th></tr><tr><td>b&amp;c</td></tr></table>\n<div>d&lt;e</div>"
    assert in_html([[["<a>"], ["b&c"]]], ["d<e"]) == html
    first, second = result.rows()
    assert (first["agent"], first["mean_return"], second["agent"]) == ("highest", mean, "random")
    assert second["mean_return_low"] == result.agents[1].mean_return.low
    assert all(isinstance(value, (str, int, float)) for value in first.values())


def test_agents_are_shown_by_what_they_were_called() -> None:
    assert repr(make_agent("ismcts:sims=4", "brave_rats")) == "<Agent ismcts:sims=4>"
    assert repr(make_agent("learnt", "rattus")) == "<Agent learnt for rattus>"
    assert repr(InOrder(True)) == "<Agent highest>"


def test_of_a_policy_that_plays_with_other_options_than_in_training_it_is_said() -> None:
    agents = [make_agent(name, "comme_des_rats") for name in ("learnt", "random", "learnt")]
    options = get_game("comme_des_rats").configuration
    assert learnt_otherwise(agents, options.make({"players": 2})) == ()
    said = learnt_otherwise(agents, options.make({"players": 2, "die": [2, 1, 1, 1, 1]}))
    assert said == ("learnt was trained with die=[1, 1, 2, 1, 1], not with die=[2, 1, 1, 1, 1].",)
    match = play_match("comme_des_rats", ["learnt", "random"], {"players": 2, "extra_rounds": 1}, games=4)
    assert match.remarks() == ["learnt was trained with extra_rounds=0, not with extra_rounds=1."]
    tournament = play_tournament(make_plan("comme_des_rats", ["learnt", "random"], match.config, games=4))
    assert tournament.remarks() == match.remarks() == [*tournament.to_json()["notes"]]


def test_several_opponents() -> None:
    results = play_opponents("brave_rats", InOrder(True), [InOrder(False), RandomAgent(0)], games=100)
    assert list(results) == ["lowest", "random"]
    assert results["lowest"].wins == 100
    assert results["random"].name == "highest"


# More than two players, points, shares of the win and what a game counts besides

#: Three players roll nothing but one key, and every card is a trap: chance decides nothing.
ONLY_TRAPS = {"players": 3, "die": [6, 0, 0, 0, 0], "doors": [15, 0, 0, 0], "talk": True}


class Partial(Agent):
    """Always has the neighbour on one side as partner, always says the same, takes the first pile."""

    def __init__(self, side: int, saying: str) -> None:
        super().__init__(0)
        self.name = f"{saying} to {side:+}"
        self.side, self.saying = side, saying

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        numbers, policy = views.game.action_numbers, np.zeros(views.masks.shape)
        for i, mask in enumerate(views.masks):
            partner = f"partner player_{(views.seats[i] + self.side) % views.players[i]}"
            wanted = ["keep_dice", f"say {self.saying}", partner, *(f"pile {pile}" for pile in (1, 2, 3))]
            policy[i, next(numbers[word] for word in wanted if mask[numbers[word]])] = 1
        return policy


def test_points_shares_and_counts_of_three_players_are_as_by_hand() -> None:
    """A turn hurts the partner, then the active seat; at the third bandage the round is over after the turn, and as
    there is no cheese, who is not out gets two points. Active in each of the three rounds are player_0, 1 and 2 by
    turns, and the round is over when player_2 has been.

    Left chooses its left neighbour, right (agent 1) its right one. Bandages, turn by turn, by seat:

    - left, right, left: 1 and 0 are hurt, 0 and 1, 0 and 2: (1 1 0), (2 2 0), (3 2 1). Left (agent 0) is out.
    - right, left, left: 2 and 0, 2 and 1, 0 and 2: (1 0 1), (1 1 2), (2 1 3). Agent 0 is out again.
    - left, left, right: 1 and 0, 2 and 1, 1 and 2: (1 1 0), (1 2 1), (1 3 2). Agent 0 again.

    So agent 0 never gets a point, and the others have six after three rounds: a win shared by two, 1/2 each, less 1/3,
    times 3/2. Agent 0 is chosen twice a round, agent 1 once, agent 2 never. Each speaks in two of three turns.
    """
    agents = [Partial(1, "peace"), Partial(-1, "nothing"), Partial(1, "die key1")]
    result = play_match("comme_des_rats", agents, ONLY_TRAPS, games=12, seed=4)
    assert (result.games, result.deals) == (12, 4)
    assert result.welfare == Estimate(12.0, 12.0, 12.0)
    expected = [(-0.5, 0.0, 0.0, 6, 6), (0.25, 6.0, 0.5, 0, 3), (0.25, 6.0, 0.5, 6, 0)]
    for agent, (mean_return, points, share, promises, chosen) in zip(result.agents, expected, strict=True):
        counted = {
            "promises": promises,
            "promises tested": 0,
            "promises kept": 0,
            "cat at partner": 0,
            "chosen as partner": chosen,
        }
        assert agent.mean_return == mean_estimate(np.full(4, mean_return), -0.5, 1.0)
        assert agent.mean_score == Estimate(points, points, points)
        assert agent.metrics == counted
        assert (agent.wins, agent.draws, agent.losses) == ((0, 12, 0) if share else (0, 0, 12))
        for number, seat in enumerate(agent.seats):
            assert (seat.seat, seat.games, seat.metrics) == (number, 4, counted)
            assert (seat.mean_return, seat.mean_score, seat.win_share) == (mean_return, points, share)
    head, *rows = result.metrics_table()
    assert head == ["agent", "seat", "points", "win share", *result.agents[0].metrics]
    assert rows[3] == ["peace to +1", "all", "0.00", "0.0%", "6.00", "0.00", "0.00", "0.00", "6.00"]
    assert rows[4] == ["nothing to -1", "0", "6.00", "50.0%", "0.00", "0.00", "0.00", "0.00", "3.00"]
    assert len(rows) == 3 * 4


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_all_wins_are_shared_out_and_points_add_up(players: int) -> None:
    """Of each game one win is shared by the seats at the top, but for two players if the third rat is there alone."""
    agents: list[Agent] = [RandomAgent(0), *(HeuristicAgent("greedy") for _ in range(players - 1))]
    result = play_match("comme_des_rats", agents, {"players": players, "extra_rounds": 1}, games=300, seed=7)
    shares = sum(seat.win_share for agent in result.agents for seat in agent.seats) / players
    assert shares == pytest.approx(1) if players > 2 else 0.5 < shares < 1
    assert sum(agent.mean_score.mean for agent in result.agents) == pytest.approx(result.welfare.mean)
    assert sum(agent.mean_return.mean for agent in result.agents) == pytest.approx(0, abs=1e-6)
    for agent in result.agents:
        assert agent.wins + agent.draws + agent.losses == result.games
        for name, mean in agent.metrics.items():
            assert mean == pytest.approx(np.mean([seat.metrics[name] for seat in agent.seats]))
        assert agent.mean_score.mean == pytest.approx(np.mean([seat.mean_score for seat in agent.seats]))
        assert [seat.seat for seat in agent.seats] == list(range(players))


class Counted:
    """A game walked by hand, with what the game counts: by seat promises, tested, kept, cat at partner, chosen."""

    def __init__(self, **config: Any) -> None:
        self.position = Position("comme_des_rats", config)
        self.counts = np.zeros((5, 5), np.int32)
        while next(iter(self.position.chances())).split()[0] in ("trap", "deal"):
            self.play(next(iter(self.position.chances())))

    def play(self, *texts: str) -> Counted:
        """One text after another."""
        for text in texts:
            position = self.position
            if not position.is_chance:
                position.program.tally(position.state, position.game.action_numbers[text], self.counts)
            position.apply(text)
        return self

    def of(self, seat: int) -> list[int]:
        """The counts of a seat."""
        return self.counts[seat].tolist()


def test_promises_are_tested_by_own_choices_only() -> None:
    game = Counted(players=3, talk=True)
    game.play("roll key1 claw", "keep_dice", "say die key1", "say claw player_1", "partner player_1")
    assert [game.of(seat) for seat in range(3)] == [[0] * 5, [1, 0, 0, 0, 1], [1, 0, 0, 0, 0]]
    game.play("die claw")  # not the key that was promised
    assert game.of(1) == [1, 1, 0, 0, 1]
    game.play("claw player_0")  # the cat at the active seat: no promise was about that
    assert game.of(1) == [1, 1, 0, 1, 1]
    assert game.of(0) == [0] * 5
    assert game.of(2) == [1, 0, 0, 0, 0], "player_2 was not asked"


@pytest.mark.parametrize(
    ("said", "target", "tested", "kept", "at_partner"),
    [
        ("say peace", "player_0", 1, 0, 1),
        ("say peace", "player_2", 1, 1, 0),
        ("say claw player_2", "player_2", 1, 1, 0),
        ("say claw player_2", "player_0", 1, 0, 1),
        ("say claw player_0", "player_0", 1, 1, 1),
        ("say nothing", "player_0", 0, 0, 1),
        ("say die claw", "player_2", 1, 1, 0),
    ],
)
def test_the_cat_keeps_or_breaks_a_promise(said: str, target: str, tested: int, kept: int, at_partner: int) -> None:
    game = Counted(players=3, talk=True).play("roll key1 claw", "keep_dice", said, "say nothing", "partner player_1")
    game.play("die claw", f"claw {target}")
    assert game.of(1) == [said != "say nothing", tested, kept, at_partner, 1]


def test_with_the_third_rat_and_with_roles() -> None:
    game = Counted(players=2, talk=True).play("roll key1 claw", "keep_dice", "say claw third_rat", "partner player_1")
    game.play("die claw", "claw third_rat")
    assert game.of(1) == [1, 1, 1, 0, 1]
    game = Counted(players=2).play("roll key1 claw", "keep_dice", "partner third_rat", "reveal tr1", "pile 1")
    game.play("claw third_rat")
    assert game.of(0) == [0, 0, 0, 1, 0], "the third rat is not a seat, but the cat at the own partner counts"
    game = Counted(players=3, roles=True, talk=True)
    game.play("role fool", "role al_ratone", "role hypnotist", "roll claw claw", "keep_dice")
    game.play("say nothing", "say peace", "claim", "claw player_2", "redirect player_0")
    assert game.of(1) == [0, 0, 0, 0, 1], "Al Ratone took the partner's place; his cat went at player_2"
    assert game.of(2) == [1, 1, 0, 0, 0], "the Hypnotist sent it on to the active seat, against his word"


def recount(config: dict[str, Any], agents: list[Agent], seed: int) -> list[list[int]]:
    """The counts of one game, told from the texts of its actions alone."""
    position, streams = Position("comme_des_rats", config), np.zeros(1, STREAM)
    position.program.seed_stream(streams[0], np.uint64(seed), 0)
    names, counts = list(position.game.metrics), [Counter[str]() for _ in agents]
    said: dict[int, str] = {}
    active = partner = 0
    while not position.is_over:
        if position.is_chance:
            text = position.sample(streams[0])
            if text.startswith("roll"):
                active, said = int(position.state.active), {}
                partner = 1 - active  # for two players, when all of the third rat's cards have been shown (CR-61)
            position.apply(text)
            continue
        seat = position.actor
        text = position.game.actions[agents[seat].act(view_of(position))]
        own = counts[seat]
        verb, _, rest = text.partition(" ")
        if verb == "say":
            said[seat] = rest
            own["promises"] += rest != "nothing"
        elif verb in ("partner", "claim"):
            partner = seat if verb == "claim" else int(rest[-1]) if rest != "third_rat" else len(agents)
            if partner < len(agents):
                counts[partner]["chosen as partner"] += 1
        elif verb == "die" and said.get(seat, "").startswith("die"):
            own["promises tested"] += 1
            own["promises kept"] += said[seat] == text
        elif verb in ("claw", "redirect"):
            about = said.get(seat, "")
            target = int(rest[-1]) if rest != "third_rat" else len(agents)
            own["promises tested"] += about == "peace" or about.startswith("claw")
            own["promises kept"] += (about == "peace" and target != active) or about == f"claw {rest}"
            own["cat at partner"] += {seat, target} == {active, partner}
        position.apply(text)
    return [[own[name] for name in names] for own in counts]


def view_of(position: Position) -> SeatViews:
    """The view of who is to act."""
    batch = Batch(position.game, 1, position.configuration, 0)
    batch.states[0] = position.state
    batch.refresh()
    return SeatViews(batch)


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("roles", [False, True])
def test_counts_are_those_told_from_the_texts_of_a_match(players: int, roles: bool) -> None:
    """Agents that always do the same meet the same chance as in the match: every game is played again by hand."""
    names = ["loyal", "treacherous", "greedy", "treacherous"][:players]
    config = {"players": players, "roles": roles, "talk": True}
    agents = [make_agent(name, "comme_des_rats") for name in names]
    result = play_match("comme_des_rats", agents, config, games=4 * players, seed=11)
    counts = np.zeros((players, players, 5))  # by agent and seat
    for seed in np.random.SeedSequence(11).generate_state(4, np.uint64).tolist():
        for seating in range(players):
            seated = [agents[(seat + seating) % players] for seat in range(players)]
            for seat, own in enumerate(recount(config, seated, seed)):
                counts[(seat + seating) % players, seat] += own
    for number, agent in enumerate(result.agents):
        assert list(agent.metrics) == list(get_game("comme_des_rats").metrics)
        assert list(agent.metrics.values()) == pytest.approx(counts[number].sum(axis=0) / (4 * players))
        for seat in agent.seats:
            assert list(seat.metrics.values()) == pytest.approx(counts[number, seat.seat] / 4)
    assert counts.sum(axis=(0, 1)).all(), "all of it occurs"


def test_a_game_that_counts_nothing_has_points_and_shares_too() -> None:
    """The rounds of the first test: four and one."""
    result = play_match("brave_rats", [InOrder(True), InOrder(False)], games=40, seed=1)
    assert [agent.mean_score for agent in result.agents] == [Estimate(4.0, 4.0, 4.0), Estimate(1.0, 1.0, 1.0)]
    assert [[seat.win_share for seat in agent.seats] for agent in result.agents] == [[1.0, 1.0], [0.0, 0.0]]
    assert result.welfare == Estimate(5.0, 5.0, 5.0)
    assert all(agent.metrics == {} for agent in result.agents)
    assert result.metrics_table()[0] == ["agent", "seat", "points", "win share"]


@pytest.mark.parametrize(("agents", "players"), [(2, 3), (4, 3), (1, 2)])
def test_more_players_take_as_many_agents(agents: int, players: int) -> None:
    with pytest.raises(ConfigurationError, match=f"^{agents} agents for {players} seats: name one for each seat"):
        play_match("comme_des_rats", [RandomAgent(0)] * agents, {"players": players})


# Errors and intervals


@pytest.mark.parametrize(
    ("agents", "games", "sentence"),
    [(1, 10, "1 agents for 2 seats"), (3, 10, "3 agents for 2 seats"), (2, 2, "games=2: must be more than 2")],
)
def test_wrong_arguments_are_answered_in_a_sentence(agents: int, games: int, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        play_match("brave_rats", [RandomAgent(0)] * agents, games=games)


@pytest.mark.parametrize("deals", [2, 5, 40])
def test_intervals_of_few_deals_cover_what_they_should(deals: int) -> None:
    random = np.random.default_rng(deals)
    found = [mean_estimate(random.normal(size=deals)) for _ in range(4000)]
    inside = np.mean([each.low <= 0 <= each.high for each in found])
    assert abs(inside - 0.95) < 0.012


def test_names_are_distinct_whatever_they_are() -> None:
    assert distinct(["a", "b", "a", "a"]) == ["a", "b", "a (2)", "a (3)"]
    assert len(set(distinct(["a", "a", "a (2)", "a (2)", "a"]))) == 5
    agents = [RandomAgent(0), RandomAgent(1)]
    found = play_opponents("brave_rats", "greedy", agents, games=20)
    assert list(found) == ["random", "random (2)"]


def test_intervals_cover_what_they_should() -> None:
    """Deals of two games whose results are alike or independent: 95 % of intervals hold the true value."""
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


def test_a_match_seeds_a_search_anew_every_four_deals_and_nobody_else() -> None:
    class Counting(RandomAgent):
        def seed(self, seed: Any) -> None:
            self.seeds = [*getattr(self, "seeds", []), seed]
            super().seed(seed)

    class Searching(Counting):
        decides_by_seed = True

    search, other = Searching(0), Counting(0)
    play_match("brave_rats", [search, other], games=20, seed=7)
    assert search.seeds == [0, [7, 0], [7, 0, 1], [7, 0, 2]]
    assert other.seeds == [0, [7, 1]]


def test_intervals_of_a_search_cover_what_they_should() -> None:
    """With one draw of its random numbers for all games, two of five covered the mean over many seeds."""
    agents = [make_agent("ismcts:sims=10", "brave_rats"), make_agent("greedy", "brave_rats")]
    found = [play_match("brave_rats", agents, games=120, seed=seed).agents[0].mean_return for seed in range(12)]
    mean = np.mean([each.mean for each in found])
    assert sum(each.low <= mean <= each.high for each in found) >= 9


def test_deals_that_are_all_alike_leave_room_for_others():
    alike = mean_estimate(np.ones(4), -1.0, 1.0)
    assert (alike.mean, alike.high) == (1, 1)
    share = (1 - alike.low) / 2
    assert (1 - share) ** 4 == pytest.approx(0.025)
    middle = mean_estimate(np.zeros(4), -1.0, 1.0)
    assert middle.low == -middle.high == pytest.approx(-share)


@pytest.mark.parametrize(("deals", "rate"), [(20, 0.9), (100, 0.98), (200, 0.98), (2000, 0.999)])
def test_intervals_cover_what_they_should_where_hardly_anything_is_lost(deals, rate):
    """By Student's t alone, 7 to 10 % of them would lie above the true value: one game lost said more than none."""
    random = np.random.default_rng(deals)
    found = [mean_estimate(random.binomial(2, rate, deals) - 1.0, -1.0, 1.0) for _ in range(1000)]
    assert np.mean([each.low > 2 * rate - 1 for each in found]) < 0.03
    one_lost = mean_estimate(np.where(np.arange(deals) == 0, 0.0, 1.0), -1.0, 1.0)
    assert one_lost.low < mean_estimate(np.ones(deals), -1.0, 1.0).low


@pytest.mark.parametrize(("deals", "games", "rate"), [(4, 12, 0.5), (5, 24, 0.25), (8, 24, 0.5), (10, 24, 0.5)])
def test_rates_of_few_deals_that_are_alike_cover_what_they_should(deals, games, rate):
    """Beta-binomial deals with a correlation of 0.3: by a normal quantile 83 to 92 % cover."""
    random = np.random.default_rng(deals)
    shape = (1 - 0.3) / 0.3
    chances = random.beta(rate * shape, (1 - rate) * shape, (3000, deals))
    found = [rate_estimate(by_deal, games) for by_deal in random.binomial(games, chances) / games]
    assert np.mean([each.low <= rate <= each.high for each in found]) > 0.895


def test_one_value_says_nothing_of_others():
    assert mean_estimate(np.array([3.0])) == Estimate(3.0, -np.inf, np.inf)
    assert mean_estimate(np.array([0.5]), -1.0, 1.0) == Estimate(0.5, -1.0, 1.0)
    assert rate_estimate(np.array([0.5]), 2) == Estimate(0.5, 0.0, 1.0)


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_an_interval_holds_its_mean_however_it_is_rounded(rate):
    found = [rate_estimate(np.full(deals, rate), games) for deals in range(2, 400) for games in (1, 20)]
    assert all(each.low <= each.mean <= each.high for each in found)


def test_who_looks_twice_needs_a_wider_interval():
    """Without a difference, 95 % of series of looks have intervals that all hold it."""
    random, missed = np.random.default_rng(0), np.zeros(2)
    for _ in range(2000):
        values = random.normal(size=120)
        looks = [mean_estimate(values[:games]) for games in (20, 50, 120)]
        for place, shown in enumerate((looks, [look.after(3) for look in looks])):
            missed[place] += not all(look.low <= 0 <= look.high for look in shown)
    plain, wider = missed / 2000
    assert plain > 0.09 and wider < 0.06
    assert looks[0].after(1).low == pytest.approx(looks[0].low)
    for wrong in (0, -1, 1.5, "2", True):
        with pytest.raises(ConfigurationError, match=r"^looks=.*: must be a whole number from 1 to "):
            looks[0].after(wrong)  # type: ignore[arg-type]


def test_an_interval_does_not_go_beyond_what_can_be():
    values = np.array([0.0, 0.9, 1.0])
    free, bound = mean_estimate(values), mean_estimate(values, -1.0, 1.0)
    assert free.high > 2
    assert bound == Estimate(free.mean, free.low, 1.0)
    assert mean_estimate(-values, -1.0, 1.0) == Estimate(-free.mean, -1.0, -free.low)
    assert mean_estimate(values, -5.0, 5.0) == free


def test_two_deals_without_a_difference_show_little():
    result = play_match("brave_rats", ["random", "random"], games=4, seed=3)
    for agent in result.agents:
        assert agent.mean_return.high - agent.mean_return.low > 0.5
