"""The board as a graph: views of the observation, and edges of the map in play."""

from __future__ import annotations

import numpy as np
import pytest
from rattus_referee import EDGES, TABLE_ORDER

import rat_envs
from rat_envs.games.rattus.graph import NODE_FEATURES, graph
from rat_envs.games.rattus.observation import OBSERVATION


def played(players: int, games: int = 6) -> rat_envs.Batch:
    batch = rat_envs.Batch("rattus", games, {"players": players}, seed=3)
    batch.reset()
    for _ in range(90):
        batch.step_random()
    return batch


def test_nodes_adjacency_and_rest_are_the_whole_observation_without_a_copy() -> None:
    batch = played(4)
    board = graph(batch.observations)
    assert board.nodes.shape == (6, 12, len(NODE_FEATURES))
    assert all(np.shares_memory(part, batch.observations) for part in board)
    assert sum(part[0].size for part in board) == OBSERVATION.itemsize


def test_every_feature_is_named_after_the_field_it_comes_from() -> None:
    batch = played(3)
    board = graph(batch.observations)
    fields = batch.observations.view(OBSERVATION)[:, 0]
    column = NODE_FEATURES.index
    assert len(set(NODE_FEATURES)) == len(NODE_FEATURES)
    assert (board.nodes[:, :, column("plague")] == fields["plague"]).all()
    assert (board.nodes[:, :, column("cubes seat 2")] == fields["cubes"][:, 2]).all()
    assert (board.nodes[:, :, column("looked_at slot 2 seat 1")] == fields["looked_at"][:, 1, 1]).all()
    assert (board.nodes[:, :, column("faces slot 3 king")] == fields["faces"][:, 2, 8]).all()
    assert fields["faces"].any()
    assert (board.rest[:, -1] == fields["king_after_plague"]).all()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_edges_are_those_of_the_map_in_both_directions(players: int) -> None:
    batch = played(players, games=3)
    edges = graph(batch.observations).edges()
    in_play = TABLE_ORDER[: 4 + 2 * players]
    pairs = [edge.split("-") for edge in EDGES.split()]
    numbers = [
        tuple(TABLE_ORDER.index(name) for name in pair)
        for one, other in pairs
        if {one, other} <= set(in_play)
        for pair in ((one, other), (other, one))
    ]
    expected = {(12 * game + origin, 12 * game + goal) for game in range(3) for origin, goal in numbers}
    assert {tuple(edge) for edge in edges.T.tolist()} == expected
    assert edges.shape[1] == len(expected)


def test_one_observation_is_a_batch_of_one() -> None:
    env = rat_envs.make("rattus")
    env.reset(seed=1)
    board = graph(env.observe("player_2")["observation"])
    assert board.nodes.shape[0] == 1
    assert board.nodes[0, :, 0].tolist() == [1] * 12


def test_an_observation_of_another_game_is_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match=f"has {OBSERVATION.itemsize} numbers, not 7"):
        graph(np.zeros((2, 7), np.int8))
