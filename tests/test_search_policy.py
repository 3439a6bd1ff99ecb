"""A search that asks a policy: what the network comes to in compiled code, what it may know, and what it finds."""

from __future__ import annotations

import pickle
import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from games_and_configurations import GAMES, each_pair
from made_up_policies import after_moves, some_networks, some_policy

from rat_envs.agents import make_agent
from rat_envs.agents.learnt import save_policy
from rat_envs.agents.policy import Networks, PolicyAgent
from rat_envs.agents.search import SearchAgent, SearchOptions
from rat_envs.agents.search.guide import (
    BY_POLICY,
    Guide,
    begin_with_policy,
    combination_in,
    estimate_with_policy,
    find_outputs,
    in_whole_numbers,
    new_guide,
    pick_by_policy,
    run_guide,
)
from rat_envs.agents.search.simulation import BY_ROLLOUT, Scratch, new_scratch, search, try_in_tree
from rat_envs.agents.search.tree import BY_WORD, new_tree
from rat_envs.agents.shipped import ShippedAgent, shipped_policy
from rat_envs.api.agent import Agent
from rat_envs.api.seats import SeatViews
from rat_envs.benchmarks import guided, moves
from rat_envs.engine import contract
from rat_envs.engine.batch import Batch
from rat_envs.engine.compile import of_no_game
from rat_envs.engine.errors import CheckpointError, ConfigurationError
from rat_envs.engine.position import new_stream
from rat_envs.engine.program import Program, program
from rat_envs.engine.registry import get_game
from rat_envs.ladder.rungs import GUIDED, GUIDED_MEET


def outputs_of(guide: Guide, seat: int, observation: np.ndarray, compiled: bool = True) -> list[float]:
    """What the compiled network comes to, as the search asks it."""
    padded = np.zeros(guide.seen.shape[1], np.int8)
    padded[: len(observation)] = observation
    run = of_no_game(run_guide) if compiled else run_guide
    run(seat, padded, guide)
    return wanted_of(guide, range(int(guide.sizes[-1])), compiled)


def wanted_of(guide: Guide, wanted: Sequence[int], compiled: bool = True) -> list[float]:
    """Some of the outputs for what the network was run for last."""
    guide.wanted[: len(wanted)] = wanted
    (of_no_game(find_outputs) if compiled else find_outputs)(len(wanted), guide)
    return [float(value) for value in guide.outputs[: len(wanted)]]


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("hidden", [(), (5,), (64, 32), (128, 128)])
@pytest.mark.parametrize("name", GAMES)
def test_compiled_networks_come_to_the_same_as_in_numpy(name: str, hidden: tuple[int, ...], activation: str) -> None:
    game = get_game(name)
    networks = some_networks(game, hidden, activation)
    batch = after_moves(name, {}, 7)
    guide = new_guide(networks, game, int(batch.players[0]), 4)
    expected = networks.outputs(batch.observations)[0]
    for i in range(batch.n):
        found = outputs_of(guide, batch.actors[i], batch.observations[i])
        assert np.allclose(found, expected[i], atol=1e-3, rtol=1e-4)


@pytest.mark.parametrize("hidden", [(), (9,), (16, 30)])
def test_outputs_are_the_same_asked_for_together_or_alone(hidden: tuple[int, ...]) -> None:
    game = get_game("brave_rats")
    batch = after_moves("brave_rats", {}, 5)
    guide = new_guide(some_networks(game, hidden), game, 2, 4)
    every = outputs_of(guide, batch.actors[0], batch.observations[0])
    for number in range(1, 10):
        wanted = np.random.default_rng(number).permutation(len(every))[:number].tolist()
        for compiled in (True, False):
            assert wanted_of(guide, wanted, compiled) == [every[one] for one in wanted]
    assert len(set(every)) == len(every)


@pytest.mark.parametrize("hidden", [(), (16,), (30, 3, 8)])
@pytest.mark.parametrize("name", GAMES)
def test_what_was_observed_before_changes_nothing(name: str, hidden: tuple[int, ...]) -> None:
    """Sums that are kept from one decision to the next are those of the last observation, to the last digit."""
    game = get_game(name)
    networks = some_networks(game, hidden)
    natural = after_moves(name, {}, 25, 6).observations
    rng = np.random.default_rng(5)
    extreme = rng.choice(np.array([-128, 127], np.int8), natural.shape)
    observations = np.concatenate([natural, extreme, rng.integers(-128, 128, natural.shape).astype(np.int8)])
    kept = new_guide(networks, game, 2, 4)
    for turn, i in enumerate(rng.integers(len(observations), size=30)):
        anew = new_guide(networks, game, 2, 4)
        seat, compiled = int(i % 2), turn % 3 > 0
        with np.errstate(over="ignore"):
            one = outputs_of(kept, seat, observations[i], compiled)
            assert one == outputs_of(anew, seat, observations[i], not compiled)
        assert kept.sums[seat].tobytes() == anew.sums[seat].tobytes()


@pytest.mark.parametrize("scale", [0.0, 1e-3, 1.0, 1e4])
def test_sums_of_the_first_layer_are_never_too_large(scale: float) -> None:
    rng = np.random.default_rng(1)
    weights, bias = ((scale * rng.normal(size=shape)).astype(np.float32) for shape in ((300, 8), 8))
    counted, start, units = in_whole_numbers(weights, bias)
    largest = 128 * np.abs(weights).sum(0)
    for column in range(8):
        for sign in (1, -1):
            seen = np.where(sign * weights[:, column] > 0, 127, -128)
            exact = start + seen @ counted.astype(np.int64)
            assert np.abs(exact).max() < 2**31
            wanted = bias + seen @ weights.astype(np.float64)
            rounded = 300 * 128 * units / 2
            assert (np.abs(exact * units.astype(np.float64) - wanted) <= rounded).all()
            assert (rounded < 1e-3 * np.maximum(largest, 1e-6)).all()


@pytest.mark.parametrize("numbers", [1, 7, 8, 20])
@pytest.mark.parametrize("name", GAMES)
def test_combinations_are_told_apart_as_in_numpy(name: str, numbers: int) -> None:
    game = get_game(name)
    networks = some_networks(game, crossed=numbers)
    crossed = networks.crossed
    assert crossed is not None
    batch = after_moves(name, {}, 9, 40)
    guide = new_guide(networks, game, int(batch.players[0]), 4)
    for find in (of_no_game(combination_in), combination_in):
        with np.errstate(over="ignore"):
            found = [find(seen, guide.columns, guide.known) for seen in batch.observations]
        assert found == crossed.crossing.numbers(batch.observations).tolist()
    expected = networks.outputs(batch.observations)[0]
    for i in range(batch.n):
        assert np.allclose(outputs_of(guide, batch.actors[i], batch.observations[i]), expected[i], atol=1e-3, rtol=1e-4)


def begin(played: Program, scratch: Scratch, row: np.record) -> None:
    """As a search of this game begins."""
    scratch.observation_words[:] = 0
    played.observe_fixed(row, scratch.observations[0])
    played.bind(begin_with_policy)(scratch)


@each_pair()
def test_leaves_are_worth_what_the_policy_expects_or_how_the_game_ended(game: str, config: dict[str, Any]) -> None:
    policy = some_policy(game, crossed=12)
    batch = after_moves(game, config, 30, 40)
    played = program(batch.game)
    players = int(batch.players[0])
    scratch = new_scratch(batch.game, new_guide(policy.networks, batch.game, players, 4))
    expected = policy.networks.outputs(batch.observations)[0, :, -batch.game.seats :].clip(-1, 1)
    for i in range(0, batch.n, 5):
        begin(played, scratch, batch.states[i])
        played.bind(estimate_with_policy)(batch.states[i].copy(), scratch, new_stream(batch.game, 1))
        clockwise = [(batch.actors[i] + place) % players for place in range(players)]
        assert np.allclose(scratch.returns[clockwise], expected[i, :players], atol=1e-3)


@each_pair()
def test_games_are_played_on_with_what_the_policy_draws(game: str, config: dict[str, Any]) -> None:
    """Drawn often in the same position, actions come as often as their probabilities say."""
    policy = some_policy(game, scale=0.5)
    batch = after_moves(game, config, 20, 6)
    played, players = program(batch.game), int(batch.players[0])
    scratch = new_scratch(batch.game, new_guide(policy.networks, batch.game, players, 4))
    expected, stream = policy.policy_batch(SeatViews(batch)), new_stream(batch.game, 2)
    pick = played.bind(pick_by_policy)
    for i in range(batch.n):
        begin(played, scratch, batch.states[i])
        scratch.mask[:] = batch.masks[i]
        drawn = np.bincount([pick(batch.states[i], scratch, stream) for _ in range(1500)], minlength=len(scratch.mask))
        assert (drawn[batch.masks[i] == 0] == 0).all()
        assert np.abs(drawn / 1500 - expected[i]).max() < 0.07


@each_pair()
def test_with_one_simulation_it_plays_what_the_policy_prefers(game: str, config: dict[str, Any]) -> None:
    policy = some_policy(game, scale=0.5)
    views = SeatViews(after_moves(game, config, 25, 30))
    found = SearchAgent(SearchOptions(sims=1), 1, policy).policy_batch(views)
    preferred = policy.policy_batch(views).argmax(1)
    if get_game(game).rules.simultaneous is contract.simultaneous:  # else it mixes where another seat chooses unseen
        assert np.allclose(found.max(1), 1)
        assert np.mean(found.argmax(1) == preferred) > 0.9  # nothing but rounding decides elsewhere
    assert (found[views.masks == 0] == 0).all() and np.allclose(found.sum(1), 1)


@pytest.mark.parametrize("options", [{}, {"rollout": "policy", "trace_decay": 0.9}], ids=["values", "policy"])
@each_pair()
def test_other_hidden_facts_lead_to_the_same_move_byte_for_byte(
    game: str, config: dict[str, Any], options: dict[str, Any]
) -> None:
    batch = after_moves(game, config, 25, 6)
    policy = some_policy(game)
    agent = SearchAgent(SearchOptions(sims=40, **options), 7, policy)
    views = SeatViews(batch)
    first = agent.search_batch(views)
    batch.states[:] = views.determinize(new_stream(batch.game, 77))
    again = agent.search_batch(SeatViews(batch))
    assert all(one.tobytes() == other.tobytes() for one, other in zip(first, again, strict=True))
    assert (first.policy[views.masks == 0] == 0).all() and np.allclose(first.policy.sum(1), 1)
    twin = pickle.loads(pickle.dumps(agent))
    assert twin.policy_batch(views).tobytes() == first.policy.tobytes()


@pytest.mark.parametrize("name", ["brave_rats", "comme_des_rats"])
def test_interpreted_it_does_the_same(name: str) -> None:
    game = get_game(name)
    batch = after_moves(name, {}, 9, 1)
    networks = some_networks(game, crossed=5)
    visits = []
    for compiled in (True, False):
        counts = np.zeros(len(game.actions))
        scratch = new_scratch(game, new_guide(networks, game, int(batch.players[0]), 16))
        run = program(game, compiled).bind(search, {**BY_WORD, **BY_POLICY})
        tree = new_tree(16, len(game.actions))
        run(batch.states[0].copy(), int(batch.actors[0]), np.uint64(9), 15, 0.7, tree, scratch, 1, counts)
        visits.append(counts.tolist())
    assert visits[0] == visits[1] and sum(visits[0]) == 15


@pytest.mark.parametrize("policy", [some_policy("brave_rats"), ShippedAgent(get_game("brave_rats"))])
def test_a_policy_of_another_game_guides_no_search(policy: Any) -> None:
    agent = SearchAgent(SearchOptions(sims=5), 1, policy)
    with pytest.raises(CheckpointError, match="This policy plays brave_rats, not rattus"):
        agent.act_batch(SeatViews(after_moves("rattus", {}, 3, 1)))


def test_searches_with_and_without_a_policy_are_bound_apart() -> None:
    one, other = ({id(part) for part in each.values()} - {id(try_in_tree)} for each in (BY_POLICY, BY_ROLLOUT))
    assert not one & other


def test_values_are_means_of_what_simulations_brought() -> None:
    """Where the game is about to end, the search knows who wins; a policy that expects nothing else says 0."""
    game = get_game("brave_rats")
    size = len(game.actions) + 2
    nothing = Networks((np.zeros((1, 71, size), np.float32),), (np.zeros((1, size), np.float32),), "relu", 2)
    views = SeatViews(after_moves("brave_rats", {}, 2, 20))
    early = SearchAgent(SearchOptions(sims=3), 1, PolicyAgent(nothing, game)).value_batch(views)
    assert np.mean(early == 0) > 0.8  # a princess who meets the prince ends a game at once
    late = SeatViews(after_moves("brave_rats", {}, 13, 200))
    assert np.abs(SearchAgent(SearchOptions(sims=60), 1, PolicyAgent(nothing, game)).value_batch(late)).max() > 0.9
    played_on = SearchAgent(SearchOptions(sims=3, rollout="policy"), 1, PolicyAgent(nothing, game))
    assert np.mean(played_on.value_batch(views) == 0) < 0.2  # three games, each won or lost
    for rolled in (make_agent("ismcts:sims=200", "brave_rats", 1), played_on):
        assert np.abs(rolled.value_batch(late)).max() > 0.9
        assert (np.abs(rolled.value_batch(late)) <= 1).all()


def test_a_policy_is_named_by_its_file(tmp_path) -> None:
    path = tmp_path / "policy.safetensors"
    policy = some_policy("brave_rats")
    save_policy(path, policy)
    views = SeatViews(after_moves("brave_rats", {}, 4))
    agent = make_agent(f"ismcts:sims=20,policy={path}", "brave_rats", 1)
    assert agent.name == f"ismcts:sims=20,policy={path}"
    same = SearchAgent(SearchOptions(sims=20), 1, policy)
    assert agent.policy_batch(views).tobytes() == same.policy_batch(views).tobytes()
    to_the_end = make_agent(f"ismcts:sims=20,rollout=policy,policy={path}", "brave_rats", 1)
    assert to_the_end.name == f"ismcts:sims=20,policy={path},rollout=policy"
    assert to_the_end.value_batch(views).tobytes() != same.value_batch(views).tobytes()


def test_what_cannot_guide_is_refused_in_one_sentence(tmp_path) -> None:
    game = get_game("brave_rats")
    one = some_networks(game)
    silent = Networks((one.weights[-1][:, :, :-2],), (one.biases[-1][:, :-2],), "relu")
    silent = Networks((one.weights[0], *silent.weights), (one.biases[0], *silent.biases), "relu")
    for number, networks in enumerate((Networks.stack([one, one]), silent)):
        path = tmp_path / f"{number}.safetensors"
        save_policy(path, PolicyAgent(networks, game))
        with pytest.raises(ConfigurationError, match="cannot guide a search") as error:
            make_agent(f"ismcts:policy={path}", game)
        assert str(path) in str(error.value)
    with pytest.raises(CheckpointError, match="There is no"):
        make_agent(f"ismcts:policy={tmp_path / 'missing'}", game)
    with pytest.raises(ConfigurationError, match="rollout=greedy: not with policy"):
        make_agent(f"ismcts:policy={tmp_path / '0.safetensors'},rollout=greedy", game)
    with pytest.raises(ConfigurationError, match="rollout=policy: give a policy, too: policy=PATH"):
        make_agent("ismcts:rollout=policy", game)
    agent = SearchAgent(SearchOptions(sims=5), 1, some_policy("rattus"))
    with pytest.raises(CheckpointError, match="plays rattus"):
        agent.check(game, game.configuration.make(None))


def test_the_benchmark_counts_the_weights_that_an_observation_needs():
    first, second = np.array([[[1, 1, -3]], [[1, 1, 1]], [[0, 0, 1]]]), np.ones((3, 1, 2))
    weights = tuple(each.reshape(1, *shape).astype(np.float32) for each, shape in ((first, (3, 3)), (second, (3, 2))))
    networks = Networks(weights, (np.zeros((1, 3), np.float32), np.zeros((1, 2), np.float32)), "relu", 1)
    observations = np.array([[1, 1, 0], [0, 2, 0]], np.int8)  # hidden: (2, 2, -2), then (2, 2, 2)
    before = np.array([[0, 0, 0], [1, 2, 0]], np.int8)  # 2 numbers have changed, then 1
    wanted = [[0, 1], [1]]
    needed = guided.weights_needed(networks, observations, before, wanted)
    assert needed == (2 * 3 + 2 * 2) / 2 + (1 * 3 + 3 * 1) / 2


def test_the_benchmark_follows_one_game():
    game = get_game("comme_des_rats")
    asked, batch = guided.questions(game, 50), Batch(game, 1, seed=0, auto_reset=True)
    batch.reset()
    for k, (seat, seen, before, wanted) in enumerate(asked):
        earlier = [*reversed(asked[:k]), *reversed(asked[k:])]  # again and again: before the first comes the last
        assert before.tolist() == next(each.seen for each in earlier if each.seat == seat).tolist()
        assert seen.tolist() == batch.observations[0].tolist() and seat == batch.actors[0]
        numbers = new_guide(some_networks(game), game, 4, 1).numbers[seat]
        assert wanted == sorted(numbers[batch.masks[0] != 0]) + [len(game.actions) + place for place in range(4)]
        batch.step_random()


def test_the_benchmark_of_searches_with_a_policy(monkeypatch):
    monkeypatch.setattr(guided, "SIMULATIONS", 5)
    rows = guided.measure_guided([get_game("brave_rats"), get_game("comme_des_rats")], 0.01)
    assert [row.what for row in rows] == [
        "comme_des_rats: ISMCTS with the policy learnt",
        "comme_des_rats: its network",
        "comme_des_rats: its network, 1,000 observations at a time",
    ]
    assert all(row.value > 0 and row.ratio is not None and row.ratio > 0 for row in rows)


def test_the_benchmark_of_moves_asks_every_search_in_the_same_positions(monkeypatch):
    asked = []

    class Noting(Agent):
        def policy_batch(self, views):
            asked.append((self.name, views.observations.tobytes()))
            return views.masks / views.masks.sum(1, keepdims=True)

    def make(name, game, seed):
        agent = Noting(seed)
        agent.name = name
        return agent

    monkeypatch.setattr(moves, "make_agent", make)
    rows = moves.measure_moves([get_game("brave_rats"), get_game("rattus")], 0.005)
    assert [row.what for row in rows] == [f"rattus, {players} players: {name}" for players in (4, 2) for name in GUIDED]
    assert {row.beside for row in rows} == {GUIDED_MEET} and all(row.ratio > 0 and row.reach > 0 for row in rows)
    places = [asked[k : k + 4] for k in range(0, len(asked), 4)]
    assert len(places) == 2 * (2 + moves.WARMING)
    for place in places:
        assert [name for name, _ in place] == [*GUIDED, GUIDED_MEET] and len({seen for _, seen in place}) == 1


def test_ratios_of_times_have_intervals_that_cover():
    """Times of moves that differ a lot, and are alike for both sides in part."""
    random, inside = np.random.default_rng(0), 0
    for _ in range(500):
        common = random.exponential(size=100)
        found, reach = moves.ratio(common + random.exponential(size=100), 2 * common + random.exponential(2, size=100))
        inside += abs(found - 0.5) <= reach
    assert 0.92 < inside / 500 < 0.98


def test_a_search_is_told_apart_by_the_policy_that_guides_it():
    policy = shipped_policy(get_game("rattus"), 2)
    assert SearchAgent().fingerprint() is None
    assert SearchAgent(policy=policy).fingerprint() == policy.fingerprint() != ""


def test_a_file_of_stable_baselines3_cannot_guide_trusted_or_not(tmp_path):
    path = tmp_path / "model.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_stable_baselines3_version", "2.0")
    with pytest.raises(ConfigurationError, match=r"was saved by Stable-Baselines3 and says nothing of returns"):
        make_agent(f"ismcts:policy={path}", "rattus", trust=True)
