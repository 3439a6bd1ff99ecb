"""The board as a graph, for graph networks: regions are nodes, neighbours are joined by edges."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rat_envs.games.rattus.observation import FACE_COLUMNS, OBSERVATION, SLOTS
from rat_envs.games.rattus.tables import REGIONS

#: Fields of the observation with numbers for each region, in order.
FIELDS_BY_REGION = (
    *("in_play", "plague", "neutral_cubes", "cubes_moving", "cubes", "rats"),
    *("laid_out", "looked_at", "chosen", "faces"),
)


def _names_of(field: str) -> list[str]:
    """A name for each of the field's numbers about one region."""
    shape = OBSERVATION[field].shape[:-1]
    names = []
    for place in np.ndindex(*shape):
        words = [field]
        for size, number in zip(shape, place, strict=True):
            if size == len(FACE_COLUMNS):
                words.append(FACE_COLUMNS[number])
            else:
                words.append(f"slot {number + 1}" if size == SLOTS else f"seat {number}")
        names.append(" ".join(words))
    return names


#: Names of the numbers about a region; seats are counted from the observer, who is seat 0.
NODE_FEATURES = tuple(name for field in FIELDS_BY_REGION for name in _names_of(field))


class Graph(NamedTuple):
    """The boards of ``n`` observations.

    Attributes:
        nodes: (n, 12, F) int8, a view: the numbers named by :data:`NODE_FEATURES` for each region in table order.
        adjacency: (n, 12, 12) int8, a view: 1 for neighbours, and on the diagonal, among the regions in play.
        rest: (n, K) int8, a view: everything else in the observation.
    """

    nodes: np.ndarray
    adjacency: np.ndarray
    rest: np.ndarray

    def edges(self) -> np.ndarray:
        """(2, E) int64: source and target of every edge, each edge in both directions, without self-loops.

        Region ``r`` of observation ``i`` has the number 12·i + r, as graph libraries count the nodes of a batch.
        """
        number, origin, goal = np.nonzero(self.adjacency * (1 - np.eye(len(REGIONS), dtype=np.int8)))
        return np.stack([number * len(REGIONS) + origin, number * len(REGIONS) + goal])


def graph(observations: np.ndarray) -> Graph:
    """The boards in observations, without copying them.

    Args:
        observations: (n, O) or (O,) int8, as environments and batches give them, contiguous.

    Raises:
        ValueError: the last axis does not have the length of a Rattus observation.
    """
    if observations.shape[-1] != OBSERVATION.itemsize:
        raise ValueError(f"An observation of Rattus has {OBSERVATION.itemsize} numbers, not {observations.shape[-1]}.")
    rows = observations.reshape(-1, OBSERVATION.itemsize)
    features = len(NODE_FEATURES) * len(REGIONS)
    nodes = rows[:, :features].reshape(len(rows), len(NODE_FEATURES), len(REGIONS)).transpose(0, 2, 1)
    adjacency = rows[:, -(len(REGIONS) ** 2) :].reshape(len(rows), len(REGIONS), len(REGIONS))
    return Graph(nodes, adjacency, rows[:, features : -(len(REGIONS) ** 2)])
