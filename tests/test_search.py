"""The searching agent: what it may know, that it plays the same again, and that it finds what is best."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from games_and_configurations import GAMES, PAIRS, each_pair

from rat_envs.agents import make_agent
from rat_envs.agents.search import SearchAgent, SearchOptions
from rat_envs.agents.search.simulation import (
    BY_ROLLOUT,
    new_scratch,
    pick,
    pick_at_random,
    search,
    select,
    select_unguided,
)
from rat_envs.agents.search.tree import BY_WORD, find_node, new_tree
from rat_envs.api.agent import Agent
from rat_envs.api.seats import SeatViews
from rat_envs.arena import play_match
from rat_envs.engine.batch import Batch
from rat_envs.engine.errors import ConfigurationError, UnknownNameError
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.program import program
from rat_envs.engine.registry import get_game
from rat_envs.solving.equilibrium import find_equilibrium
from rat_envs.solving.exploitability import exploitability
from rat_envs.solving.public_tree import find_states


def middle_of_games(game: str, config: dict[str, Any], games: int = 8, seed: int = 5) -> Batch:
    """Games of random play, stopped after different numbers of moves."""
    batch = Batch(game, games, config, seed)
    for step in range(12 * games):
        legal = [np.flatnonzero(mask) for mask in batch.masks]
        actions = [int(legal[i][(step * 7 + i) % len(legal[i])]) if step < 12 * i else -1 for i in range(games)]
        batch.step(np.array(actions))
    return batch


@each_pair
def test_other_hidden_facts_lead_to_the_same_move_byte_for_byte(game: str, config: dict[str, Any]) -> None:
    agent = make_agent("ismcts:sims=25,rollout=greedy", game, 3)
    batch = middle_of_games(game, config)
    before = agent.policy_batch(SeatViews(batch))
    changed = 0
    for seed in range(2):
        truth = batch.states.copy()
        batch.program.determinize_rows(batch.states, batch.actors, new_stream(batch.game, seed))
        changed += truth.tobytes() != batch.states.tobytes()
        batch.refresh()
        assert agent.policy_batch(SeatViews(batch)).tobytes() == before.tobytes()
    hides = Position(game, config).configuration.hidden_information() is not None
    assert changed or not hides


@each_pair
def test_it_plays_legal_actions_and_the_same_again(game: str, config: dict[str, Any]) -> None:
    batch = middle_of_games(game, config, seed=8)
    views = SeatViews(batch)
    policy = make_agent("ismcts:sims=20,rollout=greedy", game, 1).policy_batch(views)
    assert (policy[views.masks == 0] == 0).all()
    assert np.allclose(policy.sum(1), 1)
    again = make_agent("ismcts:sims=20,rollout=greedy", game, 1)
    assert again.policy_batch(views).tobytes() == policy.tobytes()
    backwards = SeatViews(batch, np.arange(batch.n)[::-1])
    assert again.policy_batch(backwards)[::-1].tobytes() == policy.tobytes()


def test_another_seed_searches_otherwise() -> None:
    views = SeatViews(middle_of_games("brave_rats", {}, seed=8))
    policies = [make_agent("ismcts:sims=30", "brave_rats", seed).policy_batch(views).tobytes() for seed in (1, 2)]
    assert policies[0] != policies[1]


def test_interpreted_it_does_the_same() -> None:
    game = get_game("brave_rats")
    visits = []
    for compiled in (True, False):
        position = Position(game, {"hands": "draft"}, compiled)
        stream = new_stream(game, 4, compiled)
        while not position.mask().sum() > 1 or position.is_chance:
            position.apply(position.sample(stream))
        counts = np.zeros(len(game.actions))
        run = program(game, compiled).bind(
            search, {**BY_WORD, **BY_ROLLOUT, pick: pick_at_random, select: select_unguided}
        )
        tree = new_tree(31, len(game.actions))
        run(position.state, position.actor, np.uint64(9), 30, 0.7, tree, new_scratch(game), 1, counts)
        visits.append(counts.tolist())
    assert visits[0] == visits[1]
    assert sum(visits[0]) == 30


def test_every_simulation_visits_the_root_once_and_adds_one_node_at_most() -> None:
    game = get_game("rattus")
    batch = middle_of_games("rattus", {"players": 3}, games=6)
    for i in range(6):
        tree, counts = new_tree(301, len(game.actions)), np.zeros(len(game.actions))
        run = program(game).bind(search, {**BY_WORD, **BY_ROLLOUT, pick: pick_at_random, select: select_unguided})
        run(batch.states[i], int(batch.actors[i]), np.uint64(i), 300, 0.7, tree, new_scratch(game), 1, counts)
        assert counts.sum() == 300
        assert 1 < tree.size[0] <= 301  # one node fewer for every simulation that ends within the tree
        nodes = tree.nodes[: tree.size[0]]
        assert (nodes["visits"].sum(1) >= 1).all()
        assert (nodes["visits"] <= nodes["availability"]).all()
        assert (nodes["means"] >= 0).all() and (nodes["means"] <= 1).all()


def test_a_full_tree_is_searched_on() -> None:
    game = get_game("brave_rats")
    tree, counts = new_tree(4, len(game.actions)), np.zeros(len(game.actions))
    position = Position(game)
    run = program(game).bind(search, {**BY_WORD, **BY_ROLLOUT, pick: pick_at_random, select: select_unguided})
    run(position.state, 0, np.uint64(1), 500, 0.7, tree, new_scratch(game), 1, counts)
    assert tree.size[0] == 4 and counts.sum() == 500


def test_nodes_are_found_again() -> None:
    tree, find = new_tree(5, 3), program(get_game("brave_rats"), compiled=False).bind(find_node, BY_WORD)
    keys = [np.uint64(key) for key in (1, 2, 2**63, 1 << 20, 7)]
    assert [find(tree, key) for key in keys] == [0, 1, 2, 3, 4]
    assert [find(tree, key) for key in reversed(keys)] == [4, 3, 2, 1, 0]
    assert find(tree, np.uint64(99)) == -1


def late_positions(number: int) -> Batch:
    """Games of BraveRats with two or three cards left, in which one seat chooses alone."""
    batch = Batch("brave_rats", 4096, {}, 11)
    for _ in range(11):
        batch.step_random()
    alone = [i for i in range(batch.n) if batch.states["spied"][i] >= 0 and batch.masks[i].sum() > 1]
    chosen = np.array(alone[:number])
    late = Batch("brave_rats", len(chosen), {}, 0)
    late.states[:] = batch.states[chosen]
    late.refresh()
    return late


def losses(late: Batch, policy: np.ndarray) -> np.ndarray:
    """How much less than the best action each policy's mean is worth, if all go on as in the equilibrium."""
    solution = find_equilibrium(late.game, late.configurations[0])
    found = np.zeros(late.n)
    for i in range(late.n):
        legal = np.flatnonzero(late.masks[i])
        after = np.repeat(late.states[i : i + 1], len(legal))
        results = np.zeros((len(legal), 2), np.float32)
        for row, action, result in zip(after, legal, results, strict=True):
            late.program.apply(row, action)
            late.program.returns(row, result)
        going_on = [late.program.actor(row) >= 0 for row in after]
        values = np.where(going_on, solution.values[find_states(late.game, solution.tree, after)], results[:, 0])
        values *= 1 - 2 * late.actors[i]
        found[i] = values.max() - values @ policy[i, legal]
    return found


def test_where_one_seat_chooses_alone_it_finds_what_is_best() -> None:
    late = late_positions(60)
    assert late.n > 30
    policy = make_agent("ismcts:sims=2000", "brave_rats", 0).policy_batch(SeatViews(late))
    assert losses(late, late.masks / late.masks.sum(1, keepdims=True)).mean() > 0.3
    assert losses(late, policy).mean() < 0.05


@pytest.mark.parametrize("game", GAMES)
def test_it_beats_random_play(game: str) -> None:
    opponents: list[Agent] = [make_agent("random", game, 1)]
    config = {} if game == "brave_rats" else {"players": 2}
    agent = make_agent("ismcts:sims=30,rollout=greedy", game, 0)
    games = 100 if game in ("brave_rats", "comme_des_rats") else 24  # where it hardly ever loses, few say as much
    result = play_match(game, [agent, *opponents], config, games, seed=2)
    assert result.agents[0].mean_return.low > 0


def test_time_is_a_budget_too() -> None:
    agent = make_agent("ismcts:ms=30", "brave_rats", 0)
    views = SeatViews(Batch("brave_rats", 1, {}, 0))
    assert not agent.has_policy
    assert views.masks[0, agent.act(views)] == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("sims=0", "sims=0: must be a whole number from 1 to 1,000,000,000."),
        ("sims=many", "sims='many': must be a whole number from 1 to"),
        ("ms=-1", "ms=-1: must be a number of milliseconds up to"),
        ("rollout=clever", "rollout='clever': must be one of random, greedy, policy."),
        ("exploration=-3", "exploration=-3: must be from 0 to 100."),
        ("exploration=high", "exploration='high': must be a number."),
        ("trace_decay=1.5,rollout=policy,policy=learnt", "trace_decay=1.5: must be from 0 to 1."),
        ("trace_decay=0.9", "trace_decay=0.9: only with rollout=policy, where games are played on."),
        ("trace_decay=slow", "trace_decay='slow': must be a number."),
        (
            "depth=3",
            "The agent ismcts has no option 'depth': the options are sims, ms, rollout, exploration, policy, trace_dec",
        ),
        ("depth", "'depth' is not an option of the agent ismcts: write ismcts:KEY=VALUE,KEY=VALUE."),
    ],
)
def test_wrong_options_get_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        make_agent(f"ismcts:{text}", "brave_rats")
    assert str(caught.value).startswith(sentence)


def test_names() -> None:
    assert SearchAgent(SearchOptions(200)).name == "ismcts:sims=200,rollout=random"
    assert make_agent("ismcts", "rattus").name == "ismcts:sims=1000,rollout=random"
    whole = "ismcts:sims=1000,policy=learnt,rollout=policy,exploration=0.1,trace_decay=0.95"
    assert make_agent(whole, "rattus").name == whole
    assert len(PAIRS) > len(GAMES)
    with pytest.raises(UnknownNameError):
        make_agent("ismct:sims=3", "rattus")


def test_where_choices_are_unseen_it_comes_near_an_equilibrium() -> None:
    game = get_game("brave_rats")
    few, many = (
        exploitability(game, make_agent(f"ismcts:sims={sims}", game, 0), preset="small").exploitability
        for sims in (10, 3000)
    )
    assert many < few / 2
    assert many < exploitability(game, make_agent("random", game, 0), preset="small").exploitability / 2


@pytest.mark.parametrize(
    ("game", "name"),
    [
        ("brave_rats", "ismcts:sims=300"),
        ("brave_rats", "ismcts:sims=300,rollout=greedy"),
        ("rattus", "ismcts:sims=60,rollout=greedy"),
        ("rattus", "ismcts:sims=60,policy=learnt"),
    ],
)
def test_many_simulations_are_made_in_parts_that_change_nothing(game, name, monkeypatch):
    """Ctrl-C acts between them."""
    batch = Batch(game, 3, seed=3)
    for _ in range(9):
        batch.step_random()
    agents = [make_agent(name, game, 5) for _ in range(2)]
    found = []
    for agent in agents:
        found.append((agent.policy_batch(SeatViews(batch)).tobytes(), agent.value_batch(SeatViews(batch)).tobytes()))
        monkeypatch.setattr("rat_envs.agents.search.agent.AT_ONCE", 7)
    assert found[0] == found[1]
