"""Actions compared in the same drawn games: what is tried how often, what is concluded, and that it is worth it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from made_up_policies import after_moves, some_networks, some_policy

from rat_envs.agents.policy import Networks, PolicyAgent
from rat_envs.agents.search import SearchAgent, SearchOptions
from rat_envs.agents.search.guide import new_guide, note_expectation
from rat_envs.agents.search.halving import BY_POLICY_TO_THE_END, halvings
from rat_envs.agents.search.simulation import Scratch, new_scratch, search
from rat_envs.agents.search.tree import BY_WORD, SearchTree, new_tree
from rat_envs.api.seats import SeatViews
from rat_envs.arena import play_match
from rat_envs.engine.batch import Batch
from rat_envs.engine.game import Game
from rat_envs.engine.program import program
from rat_envs.engine.registry import get_game

#: Here no choice is made unseen.
NAME = "rattus"


class Tried:
    """A search of the first of some games: weights of actions, the node they were tried at, and the mean."""

    def __init__(
        self, batch: Batch, networks: Networks, simulations: int, compiled: bool = True, trace_decay: float = 1.0
    ) -> None:
        game = batch.game
        self.weights = np.zeros(len(game.actions))
        guide = new_guide(networks, game, int(batch.players[0]), 16, trace_decay)
        self.scratch: Scratch = new_scratch(game, guide)
        self.tree: SearchTree = new_tree(16, len(game.actions))
        self.search = program(game, compiled).bind(search, {**BY_WORD, **BY_POLICY_TO_THE_END})
        self.place = batch.states[0].copy(), int(batch.actors[0]), np.uint64(9)
        self.go_on(simulations, begin=1)

    def go_on(self, simulations: int, begin: int = 0) -> None:
        limits = simulations, 1.0, self.tree, self.scratch
        _, self.mean, number = self.search(*self.place, *limits, begin, self.weights)
        self.visits, self.means = (self.tree.nodes[name][number].copy() for name in ("visits", "means"))


def undecided(game: Game) -> Networks:
    """Every action is as likely as another."""
    players = game.seats
    size = len(game.actions) + players
    layer = np.zeros((1, game.observation.itemsize, size), np.float32)
    return Networks((layer,), (np.zeros((1, size), np.float32),), "relu", players)


def with_choices(number: int, name: str = NAME, since: int = 0, **config: Any) -> Batch:
    """A game in which whoever is to act has so many choices, or more, after so many moves or more."""
    for moves in range(since, 200):
        batch = after_moves(name, config, moves, 1)
        if batch.masks[0].sum() >= number and not batch.dones[0]:
            return batch
    raise AssertionError("there is none")


@pytest.mark.parametrize(
    ("name", "since", "trace_decay"), [("rattus", 120, 1.0), ("comme_des_rats", 43, 0.9), ("rattus_cartus", 90, 0.9)]
)
def test_interpreted_it_does_the_same(name: str, since: int, trace_decay: float) -> None:
    """Towards the end of a game, so that those that are played on are short."""
    batch = with_choices(3, name, since, players=2)
    networks = some_networks(batch.game, crossed=5)
    one, other = (Tried(batch, networks, 8, compiled, trace_decay) for compiled in (True, False))
    assert one.visits.tolist() == other.visits.tolist() and one.weights.tolist() == other.weights.tolist()
    assert one.means.tolist() == other.means.tolist() and one.mean == other.mean


def test_the_better_half_is_tried_again_until_one_is_left() -> None:
    batch = with_choices(5, players=2)
    tried = Tried(batch, undecided(batch.game), 200)
    number = int(batch.masks[0].sum())
    visits = np.sort(tried.visits[batch.masks[0] > 0])[::-1]
    assert 200 - number <= visits.sum() <= 200 + 1 and (tried.visits[batch.masks[0] == 0] == 0).all()
    sizes, left = [], number
    while left > 1:
        sizes.append(left)
        left = (left + 1) // 2
    assert halvings(number) == len(sizes)
    for size, kept in zip(sizes, [*sizes[1:], 1], strict=True):  # those dropped together were tried equally often
        assert len(set(visits[kept:size].tolist())) == 1 and visits[kept - 1] > visits[kept]
    assert tried.weights.argmax() == tried.visits.argmax() and tried.weights.max() == 1
    assert tried.weights[tried.visits > 0].min() > 0


def test_what_is_left_is_played_where_scores_are_equal_too() -> None:
    """Where the policy's probabilities do not count, two tries each often bring the same."""
    views = SeatViews(after_moves(NAME, {"players": 2}, 20, 6))
    options = SearchOptions(sims=16, rollout="policy", exploration=0.0)
    found = SearchAgent(options, 1, some_policy(NAME)).search_batch(views)
    ordered = np.sort(found.shares, axis=1)
    equal = np.isclose(ordered[:, -1], ordered[:, -2], rtol=1e-6)
    assert equal.any() and (ordered[:, -1] > ordered[:, -2]).all()


def test_actions_are_compared_in_the_same_games() -> None:
    """What an action brings in so many games does not depend on how many others are tried beside it."""
    batch = with_choices(8, players=2)
    even = undecided(batch.game)
    number = int(batch.masks[0].sum())
    few, many = (Tried(batch, even, simulations) for simulations in (16, 2 * number * halvings(number)))
    assert (few.visits > 0).sum() == 4 and (many.visits > 0).sum() == number
    dropped = (few.visits == 2) & (many.visits == 2)
    assert dropped.any() and (few.means[dropped] == many.means[dropped]).all()


def test_what_is_beyond_doubt_is_tried_for_its_value_only() -> None:
    batch = with_choices(3)
    sure = undecided(batch.game)
    action = int(np.flatnonzero(batch.masks[0])[1])
    numbers = np.argsort(batch.game.relative_actions[int(batch.players[0])], axis=1)[batch.actors[0]]
    sure.biases[0][0, numbers[action]] = 9.0
    tried = Tried(batch, sure, 100)
    assert tried.visits.sum() == tried.visits[action] == 10 and tried.weights[action] == tried.weights.sum() == 1
    assert tried.mean == tried.means[action]


def test_what_is_expected_on_the_way_counts_less_from_choice_to_choice() -> None:
    """With a network that always expects the same: after n choices λ^n of the result is left."""
    batch = with_choices(5, players=2)
    hopeful = undecided(batch.game)
    hopeful.biases[0][0, len(batch.game.actions)] = 0.5  # of whoever is asked
    at_once, mixed, at_the_end = (Tried(batch, hopeful, 40, trace_decay=decay) for decay in (0.0, 0.98, 1.0))
    tried = at_once.visits > 0
    assert np.allclose(at_once.means[tried], 0.75) and at_once.mean == pytest.approx(0.75)
    together = (tried & (mixed.visits == at_the_end.visits)).nonzero()[0]
    assert len(together) > 2
    nearer = np.abs(mixed.means[together] - 0.75) < np.abs(at_the_end.means[together] - 0.75)
    assert nearer.all() and np.ptp(mixed.means[together]) > 0.01


def test_an_expectation_takes_its_part_of_what_the_end_would_have() -> None:
    game = get_game(NAME)
    guide = new_guide(undecided(game), game, 2, 4, trace_decay=0.75)
    for expected in (1.0, -0.5, 8.0):  # the last is more than there is to win
        guide.values[len(game.actions)] = expected
        note_expectation(1, guide)
    assert guide.left.tolist() == [1.0, 0.75**3] and guide.expected[0] == 0
    assert guide.expected[1] == pytest.approx(0.25 * (1 - 0.75 * 0.5 + 0.75**2))


def test_few_simulations_are_for_the_likeliest() -> None:
    batch = with_choices(5)
    policy = some_policy(batch.game)
    found = SearchAgent(SearchOptions(sims=1, rollout="policy"), 1, policy).policy_batch(SeatViews(batch))
    assert found.argmax() == policy.policy_batch(SeatViews(batch)).argmax() and found.max() == 1
    for simulations in (4, 9, 17):
        tried = Tried(batch, some_networks(batch.game), simulations)
        assert 1 <= (tried.visits > 0).sum() <= simulations // 4 and tried.visits.sum() <= simulations


def test_a_search_by_the_clock_goes_on_with_what_it_has_tried() -> None:
    batch = with_choices(5)
    tried = Tried(batch, undecided(batch.game), 40)
    before, turns = tried.visits, int(tried.tree.nodes[0].availability.max())
    tried.go_on(40)
    assert (tried.visits >= before).all() and tried.visits.sum() > before.sum() + 30
    assert tried.tree.nodes[0].availability.max() > turns
    agent = SearchAgent(SearchOptions(ms=30, rollout="policy"), 1, some_policy(batch.game))
    assert batch.masks[0, agent.act_batch(SeatViews(batch))[0]] == 1


def test_it_beats_the_policy_that_plays_its_games_on() -> None:
    game = get_game(NAME)
    policy = PolicyAgent(undecided(game), game, seed=1)
    agent = SearchAgent(SearchOptions(sims=60, rollout="policy"), 1, policy)
    assert play_match(game, [agent, policy], {"players": 2}, 24, 1).agents[0].mean_return.low > 0
