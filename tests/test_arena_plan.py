"""Who meets whom in a tournament, on which deals, and who sits where."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import tracemalloc
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from rat_envs.api.named_agents import make_agent
from rat_envs.arena import Plan, make_plan
from rat_envs.arena.pairing import MOST_MATCHES, all_matches, deal_seeds, rotations
from rat_envs.arena.plan import file_hash
from rat_envs.engine.errors import CheckpointError, ConfigurationError


@pytest.mark.parametrize(("agents", "players", "number"), [(2, 2, 1), (3, 3, 1), (7, 2, 21), (40, 2, 780), (7, 4, 35)])
def test_every_choice_of_different_agents_is_a_match(agents: int, players: int, number: int) -> None:
    matches = all_matches(agents, players, 0)
    assert len(matches) == len(set(matches)) == number == math.comb(agents, players)
    assert all(len(set(match)) == players for match in matches)


def test_fewer_agents_than_seats_fill_them_in_every_way_but_one_alone() -> None:
    assert all_matches(2, 4, 0) == [(0, 0, 0, 1), (0, 0, 1, 1), (0, 1, 1, 1)]
    assert len(all_matches(3, 5, 0)) == 21 - 3


@pytest.mark.parametrize(("agents", "players"), [(12, 4), (20, 3), (40, 3), (11, 5)])
def test_of_too_many_matches_a_balanced_part_is_drawn(agents: int, players: int) -> None:
    matches = all_matches(agents, players, 7)
    assert MOST_MATCHES <= len(matches) < math.comb(agents, players)
    assert all(len(set(match)) == players for match in matches)
    played = Counter(agent for match in matches for agent in match)
    assert len(set(played.values())) == 1, "all play equally often"
    met = Counter(pair for match in matches for pair in itertools.combinations(match, 2))
    assert len(met) == math.comb(agents, 2), "everybody meets everybody"
    mean = len(matches) * math.comb(players, 2) / math.comb(agents, 2)
    assert max(met.values()) <= 2 * mean + 1
    assert matches == all_matches(agents, players, 7)
    assert matches != all_matches(agents, players, 8)


def test_rotations_are_the_cyclic_seatings() -> None:
    assert rotations(np.array([[4, 5, 6]])).tolist() == [[[4, 5, 6], [5, 6, 4], [6, 4, 5]]]


def test_deals_do_not_depend_on_the_parts_they_are_played_in() -> None:
    whole = make_plan("brave_rats", ["greedy", "random"], games=40, seed=5, chunk=100)
    parts = make_plan("brave_rats", ["greedy", "random"], games=40, seed=5, chunk=7)
    assert (whole.chunks, parts.chunks, parts.deals) == (1, 3, 20)
    seeds = [parts.seeds_of(chunk) for chunk in range(3)]
    assert [len(part) for part in seeds] == [7, 7, 6]
    assert np.concatenate(seeds).tolist() == whole.seeds_of(0).tolist() == deal_seeds(5, 0, 20).tolist()
    assert len(set(whole.seeds_of(0).tolist())) == 20


def test_as_many_agents_as_seats_keep_their_order_round_the_table() -> None:
    plan = make_plan("comme_des_rats", ["loyal", "greedy", "random"], {"players": 3}, games=30, chunk=4)
    assert (plan.matches, plan.deals) == ([(0, 1, 2)], 10)
    for chunk in range(plan.chunks):
        for deal in plan.seats_of(0, chunk).tolist():
            assert deal == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]


@pytest.mark.parametrize(("agents", "players"), [(4, 3), (5, 4), (2, 3), (3, 2)])
def test_everybody_sits_everywhere_and_neighbours_take_turns(agents: int, players: int) -> None:
    orders = math.factorial(players - 1)
    config = {"players": players}
    names = ["loyal", "greedy", "random", "treacherous", "random"][:agents]
    plan = make_plan("comme_des_rats", names, config, games=2 * orders * players, seed=3, chunk=5)
    for match, members in enumerate(plan.matches):
        seats = np.concatenate([plan.seats_of(match, chunk) for chunk in range(plan.chunks)])
        assert seats.shape == (2 * orders, players, players)
        for deal in seats:
            for seat in deal.T:  # over the seatings
                assert sorted(seat) == sorted(members), "each from each seat once a deal"
        beside = Counter(zip(seats[:, 0].ravel().tolist(), np.roll(seats[:, 0], -1, 1).ravel().tolist(), strict=True))
        if len(set(members)) == players:
            assert set(beside.values()) == {len(seats) // (players - 1)}, "each beside each other equally often"


def test_random_numbers_depend_on_match_chunk_and_agent() -> None:
    plan = make_plan("brave_rats", ["random", "random", "random"], games=20, chunk=5)
    states = {
        (match, chunk, number): agent.random.bit_generator.state["state"]["state"]
        for match in range(3)
        for chunk in range(2)
        for number, agent in plan.agents_of(match, chunk).items()
    }
    assert len(states) == len(set(states.values())) == 12
    again = plan.agents_of(2, 1)
    assert {key[2] for key in states if key[:2] == (2, 1)} == set(again)
    for number, agent in again.items():
        assert agent.random.bit_generator.state["state"]["state"] == states[2, 1, number]


def test_a_plan_comes_back_from_json() -> None:
    plan = make_plan("comme_des_rats", ["greedy", "random", "loyal"], {"die": [2, 1, 1, 1, 1]}, 50, 9, 3, 2)
    assert Plan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan


def test_a_manifest_that_says_nothing_of_final_draws_draws_once() -> None:
    plan = make_plan("brave_rats", ["greedy", "random"])
    values = {name: value for name, value in plan.to_dict().items() if name != "final_draws"}
    assert Plan.from_dict(values) == plan and plan.final_draws == 1


@pytest.mark.parametrize(
    ("agents", "arguments", "sentence"),
    [
        (["greedy"], {}, "Name at least two agents: 1 was given"),
        (["greedy", "random"], {"games": 10.9}, "games=10.9: must be a whole number"),
        (["greedy", "random"], {"games": 2}, "games=2: must be more than 2"),
        (["greedy", "random"], {"chunk": 0}, "chunk=0: must be 1 or more deals"),
        (["greedy", "random"], {"final_draws": 0}, "final_draws=0: must be from 1 to 10,000"),
        (["greedy", "random"], {"config": {"fast": 1}}, "fast=1: must be true or false"),
    ],
)
def test_wrong_arguments_are_answered_in_a_sentence(agents: list[str], arguments: dict, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=f"^{sentence}"):
        make_plan("brave_rats", agents, **arguments)


def test_deals_of_a_search_are_few_at_once() -> None:
    """It decides as one draw of its random numbers says, and deals of one draw are not independent."""
    search = make_agent("ismcts:sims=2", "brave_rats")
    for agents in (["ismcts:sims=2", "random"], [search, "random"]):
        assert make_plan("brave_rats", agents).chunk == 4
    assert make_plan("brave_rats", ["greedy", "random"]).chunk == 256
    assert make_plan("brave_rats", ["ismcts:sims=2", "random"], chunk=64).chunk == 64


def test_the_hash_of_a_file_takes_little_memory_and_of_no_larger_one_than_an_agent_has(tmp_path: Path) -> None:
    file = tmp_path / "policy.safetensors"
    file.write_bytes(bytes(range(256)) * 2**16)
    tracemalloc.start()
    try:
        assert file_hash(file) == hashlib.sha256(bytes(range(256)) * 2**16).hexdigest()
        tracemalloc.clear_traces()
        tracemalloc.reset_peak()
        file_hash(file)
        assert tracemalloc.get_traced_memory()[1] < 4 * 2**20
    finally:
        tracemalloc.stop()
    with file.open("r+b") as longer:
        longer.truncate(2**31)
    with pytest.raises(
        CheckpointError, match=r"policy\.safetensors is not a saved policy or code: it has more than 1,073"
    ):
        make_plan("brave_rats", [str(file), "random"], games=4)
    with pytest.raises(CheckpointError, match="it is a folder"):
        file_hash(tmp_path)
