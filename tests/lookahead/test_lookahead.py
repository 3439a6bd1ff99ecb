"""Looking one round ahead: right where the values are right, and a function of what the seat knows."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from rat_envs.agents import make_agent
from rat_envs.agents.crossing import Crossed, Crossing, keys_of
from rat_envs.agents.learnt import load_policy, save_policy
from rat_envs.agents.lookahead import LookaheadAgent
from rat_envs.agents.lookahead.agent import choose, value_leaves
from rat_envs.agents.lookahead.rounds import NOBODY, bind, draw_next_places, rounds_of
from rat_envs.agents.policy import Networks
from rat_envs.api.seats import SeatViews
from rat_envs.engine import Batch, get_game
from rat_envs.engine.archive import read_archive, write_archive
from rat_envs.engine.errors import CheckpointError, ConfigurationError
from rat_envs.engine.position import Position
from rat_envs.solving.best_response import respond_in_public_states
from rat_envs.solving.equilibrium import find_equilibrium
from rat_envs.solving.exploitability import exploitability, policy_in_public_states
from rat_envs.solving.public_states import CHANCE_NODE, END, ONE_SEAT, TWO_SEATS
from rat_envs.solving.public_tree import find_states

GAME = get_game("brave_rats")
FAST = GAME.configuration(fast=True)
SIZE = GAME.observation.itemsize
HANDS = np.array([*range(8), *range(24, 32)])


@functools.cache
def fast():
    return find_equilibrium(GAME, FAST)


@functools.cache
def against_random() -> tuple[np.ndarray, np.ndarray]:
    """For both seats what a best response to random play gets in every public state."""
    tree = fast().tree
    probabilities, _ = policy_in_public_states(make_agent("random", GAME, 0), GAME, FAST, tree)
    values = np.zeros((2, len(tree.nodes)))
    for seat in range(2):
        bind(GAME, respond_in_public_states)(seat, tree.nodes, tree.children, tree.weights, probabilities, values[seat])
    return values[0], values[1]


def states(number: int = 400) -> np.ndarray:
    """Numbers of some public states that begin a round."""
    kinds = fast().tree.nodes["kind"]
    answers = kinds == ONE_SEAT
    answers &= (fast().tree.nodes["row"]["chosen"] >= 0).any(axis=1)
    return np.random.default_rng(1).choice(np.flatnonzero((kinds != END) & ~answers), number, replace=False)


def looked_ahead(numbers: np.ndarray, seat: int, exact: np.ndarray, random_weight: float):
    """What a seat chooses where it knows both values of the states after the round, and what that is worth."""
    tree = fast().tree
    rounds = rounds_of(GAME, tree.nodes["row"][numbers].copy())
    found = find_states(GAME, tree, rounds.leaves["row"].copy())
    values = value_leaves(GAME, rounds, seat, lambda seen: np.zeros((len(seen), 2)))
    unfinished = rounds.leaves["ended"] == 0
    values[unfinished] = exact[found[unfinished], None]
    return choose(GAME, rounds, seat, values, random_weight)


@pytest.mark.parametrize("seat", [0, 1])
def test_without_trust_it_is_the_equilibrium(seat):
    numbers = states()
    exact = fast().values * (1 if seat == 0 else -1)
    _, worth = looked_ahead(numbers, seat, exact, 0.0)
    assert np.allclose(worth[:, 0], exact[numbers], atol=1e-9)


@pytest.mark.parametrize("seat", [0, 1])
def test_with_full_trust_it_is_the_best_response_to_random_play(seat):
    numbers = states()
    exact = against_random()[seat]
    policies, worth = looked_ahead(numbers, seat, exact, 1.0)
    assert np.allclose(worth[:, 1], exact[numbers], atol=1e-9)
    acting = (fast().tree.nodes["kind"][numbers] == TWO_SEATS) | (fast().tree.nodes["seat"][numbers] == seat)
    assert np.allclose(policies[acting].sum(axis=1), 1) and not policies[~acting].any()


def test_rounds_hold_both_choices_and_every_outcome_once():
    traitor = Position(GAME, GAME.configuration(traitor=True), compiled=False).state[None].copy()
    giving = rounds_of(GAME, traitor).rounds[0]
    assert giving["kind"] == CHANCE_NODE and giving["firsts"] == 8
    assert (giving["answerers"][:8] == NOBODY).all()
    opening = rounds_of(GAME, Position(GAME, FAST, compiled=False).state[None].copy())
    assert len(opening.places) == 64 and set(opening.places) == set(range(len(opening.leaves)))
    assert (opening.rounds[0]["answerers"][:8] == 1).all()


def random_agent(random_weight: float = 0.5, config=None, seed: int = 0) -> LookaheadAgent:
    """An agent that judges by a network of random parameters."""
    random = np.random.default_rng(seed)
    shapes = [(1, SIZE, 12), (1, 12, 2)]
    weights = tuple(random.normal(0, 0.2, shape).astype(np.float32) for shape in shapes)
    biases = tuple(np.zeros((1, shape[2]), np.float32) for shape in shapes)
    batch = Batch(GAME, 64, FAST, seed=2)
    for _ in range(6):
        batch.step_random()
    known = np.unique(keys_of(batch.observations, HANDS))
    tables = random.normal(0, 0.2, (1, len(known) + 1, 12)).astype(np.float32)
    network = Networks(weights, biases, "relu", crossed=Crossed(Crossing(HANDS, known), tables))
    return LookaheadAgent(network, random_weight, GAME, config or {"fast": True}, {"steps": 7})


def views_after(moves: int, number: int = 60) -> SeatViews:
    batch = Batch(GAME, number, FAST, seed=5)
    for _ in range(moves):
        batch.step_random()
    return SeatViews(batch)


@pytest.mark.parametrize("moves", range(7))
def test_policy_is_a_distribution_over_legal_actions(moves):
    views = views_after(moves)
    policy = random_agent().policy_batch(views)
    assert np.allclose(policy.sum(axis=1), 1) and (policy >= 0).all()
    assert not policy[views.masks == 0].any()


def test_a_row_does_not_depend_on_the_other_rows():
    views, agent = views_after(5), random_agent()
    alone = [agent.policy_batch(views_after(5).__class__(batch_of(i)))[0] for i in range(10)]
    assert np.allclose(agent.policy_batch(views)[:10], np.array(alone), atol=1e-6)


def batch_of(i: int) -> Batch:
    """Game ``i`` of those in ``views_after(5)``."""
    batch = Batch(GAME, 1, FAST, seed=5 + i)
    for _ in range(5):
        batch.step_random()
    return batch


def test_an_unseen_choice_is_taken_back():
    rows = np.repeat(Position(GAME, FAST, compiled=False).state[None], 9)
    for number, card in enumerate(Position(GAME, FAST).legal()):
        position = Position(GAME, FAST)
        position.apply(card)
        rows[1 + number] = position.state
    assert (rows["chosen"][1:, 0] >= 0).all() and (rows["chosen"][0] < 0).all()
    together = rounds_of(GAME, rows)
    places = together.places.reshape(9, 64)
    assert (places == places[0]).all() and len(together.leaves) == 64
    assert (together.rounds["kind"] == TWO_SEATS).all() and (together.rounds["seat"] == 0).all()


def test_combinations_are_told_apart_where_they_are_known():
    crossed = random_agent().network.crossed
    assert crossed is not None
    crossing = crossed.crossing
    batch = Batch(GAME, 64, FAST, seed=2)
    for _ in range(6):
        batch.step_random()
    seen = batch.observations.copy()
    numbers = crossing.numbers(seen)
    assert (numbers > 0).all() and len(set(numbers)) == len(np.unique(seen[:, HANDS], axis=0)) > 10
    seen[:, np.setdiff1d(np.arange(SIZE), HANDS)] = 5
    assert np.array_equal(crossing.numbers(seen), numbers), "nothing else matters"
    seen[:, HANDS] = 77
    assert not crossing.numbers(seen).any()


def test_chance_brings_what_its_weights_say():
    config = GAME.configuration(hands="random")
    rounds = rounds_of(GAME, np.repeat(Position(GAME, config, compiled=False).state[None], 20000)).rounds
    assert (rounds["kind"] == CHANCE_NODE).all()
    rounds["weights"][:, :8] = np.arange(8)
    rounds["firsts"] = 7
    rounds["choices"][:, :7] = np.arange(1, 8)
    chosen = np.zeros(len(rounds), np.int64)
    bind(GAME, draw_next_places)(rounds, np.random.default_rng(0).random(len(rounds)), chosen)
    shares = np.bincount(chosen - rounds["first_place"], minlength=7) / len(rounds)
    assert np.allclose(shares, np.arange(1, 8) / 28, atol=0.015)


def test_random_choices_lead_everywhere_alike():
    rounds = rounds_of(GAME, np.repeat(Position(GAME, FAST, compiled=False).state[None], 20000)).rounds
    chosen = np.zeros(len(rounds), np.int64)
    bind(GAME, draw_next_places)(rounds, np.random.default_rng(0).random(len(rounds)), chosen)
    shares = np.bincount(chosen - rounds["first_place"], minlength=64) / len(rounds)
    assert len(shares) == 64 and np.allclose(shares, 1 / 64, atol=0.005)


def test_what_is_hidden_is_refused():
    with pytest.raises(ConfigurationError, match="draw_pile"):
        random_agent(config={"draw_pile": True})
    with pytest.raises(ConfigurationError, match="draft"):
        random_agent().policy_batch(SeatViews(Batch(GAME, 2, {"hands": "draft"}, seed=0)))


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "policy.safetensors"
    save_policy(path, random_agent())
    return path


def test_agent_comes_back_as_it_was_saved(saved):
    again = make_agent(str(saved), "brave_rats", 3)
    assert isinstance(again, LookaheadAgent) and again.training == {"steps": 7} and again.random_weight == 0.5
    views = views_after(5)
    assert np.array_equal(again.policy_batch(views), random_agent().policy_batch(views))
    assert exploitability(GAME, again, FAST).exploitability > 0.5


@pytest.mark.parametrize(
    ("header_changes", "array_changes"),
    [
        ({"random_weight": 2}, {}),
        ({"random_weight": None}, {}),
        ({"layers": [SIZE, 12, 3]}, {}),
        ({"config": {"hands": "draft"}}, {}),
        ({}, {"crossed_table": np.zeros((3, 12), np.float32)}),
        ({}, {"crossed_columns": np.array([SIZE])}),
        ({}, {"crossed_keys": np.array([2, 1], np.uint64)}),
        ({}, {"weight_0": np.full((1, SIZE, 12), np.nan, np.float32)}),
    ],
)
def test_damaged_file_is_refused(saved, header_changes, array_changes):
    header, arrays = read_archive(saved, LookaheadAgent.form, "policy")
    write_archive(saved, {**header, **header_changes}, {**arrays, **array_changes})
    with pytest.raises(CheckpointError) as error:
        load_policy(saved)
    assert "\n" not in str(error.value) and not str(error.value).endswith("..")


@pytest.mark.parametrize("kept", [(), ("crossed_keys",), ("crossed_columns", "crossed_keys"), ("crossed_table",)])
def test_a_file_without_its_combinations_is_refused(saved, kept):
    header, arrays = read_archive(saved, LookaheadAgent.form, "policy")
    left = {name: each for name, each in arrays.items() if not name.startswith("crossed_") or name in kept}
    write_archive(saved, header, left)
    with pytest.raises(CheckpointError, match="the array crossed_"):
        load_policy(saved)


def test_values_that_are_no_numbers_are_refused():
    agent = random_agent()
    agent.network.biases[-1][:] = np.nan
    with pytest.raises(CheckpointError, match="no numbers"):
        agent.policy_batch(views_after(4))
