"""Game trees for tabular solvers: all histories of a game from a position on, and each seat's information sets."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from rat_envs.api.agent import ROUNDING
from rat_envs.engine.checks import as_array, checked_count, checked_index, checked_within
from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.engine.game import CHANCE, Game
from rat_envs.engine.hash_table import BY_WORDS
from rat_envs.engine.position import Position
from rat_envs.engine.program import program
from rat_envs.solving.histories import (
    DEEPEST,
    EDGE,
    INFORMATION_SET,
    NODE_OF_HISTORY,
    TOO_DEEP,
    TOO_MANY,
    write_histories,
    write_rows,
)

__all__ = ["MOST_HISTORIES", "GameTree", "Payoffs", "build_game_tree", "checked_tree"]

#: The most histories of a tree: each takes about 50 bytes, and solvers need many passes.
MOST_HISTORIES = 4_000_000
#: The room for nodes, edges and so on at first; it is doubled when it is used up.
FIRST_ROOM = 1024


@dataclass(frozen=True, eq=False)
class Payoffs:
    """The returns of players' plans, with one entry for all ends of games to which the same sequences lead.

    Attributes:
        sequences: (K, P) int32, the last sequence of each seat.
        values: (K, P) float64, returns times the probability of chance, summed over these ends.
    """

    sequences: np.ndarray
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class GameTree:
    """All histories of a game below one of its rows.

    A *sequence* is an information set with one of its actions; it stands for everything that its seat has done up to
    there. Numbers 0 to P − 1 are those of seats that have done nothing yet; set ``i`` has the ``actions[i]`` numbers
    from ``first_sequence[i]`` on, one for each legal action in order. Sets are numbered so that a seat's earlier sets
    have lower numbers. A **policy** is (S) float64: the probability of every sequence's action in its set, and 1 for
    the first P.

    Attributes:
        game: the game.
        players: P, the number of seats.
        root: an array of one row.
        nodes: histories as records of ``NODE_OF_HISTORY``, parents before children; the root is the first.
        edges: actions and outcomes as records of ``EDGE``, node by node.
        sets: information sets as records of ``INFORMATION_SET``.
        returns: (E, P) float64, for each end of a game.
        payoffs: the same for each combination of sequences.
    """

    game: Game
    players: int
    root: np.ndarray
    nodes: np.ndarray
    edges: np.ndarray
    sets: np.ndarray
    returns: np.ndarray
    payoffs: Payoffs

    @property
    def histories(self) -> int:
        """The number of nodes: decisions, chance and ends."""
        return len(self.nodes)

    @property
    def sequences(self) -> int:
        """S, the length of a policy."""
        return self.players + int(self.sets["actions"].sum())

    @functools.cached_property
    def owners(self) -> np.ndarray:
        """(S − P) int64: the information set of every sequence but the first P."""
        return np.repeat(np.arange(len(self.sets)), self.sets["actions"])

    @functools.cached_property
    def actions(self) -> np.ndarray:
        """(S − P) int64: the number in the game of the action of every sequence but the first P."""
        first_edges = self.nodes["first_edge"][self.sets["node"]]
        within = np.arange(self.sequences - self.players) + self.players - self.sets["first_sequence"][self.owners]
        return self.edges["action"][first_edges[self.owners] + within].astype(np.int64)

    def normalised(self, weights: np.ndarray) -> np.ndarray:
        """The policy proportional to ``weights``, (S) float64; uniform in information sets without weights.

        Raises:
            ConfigurationError: they are not (S) numbers.
        """
        weights = self._by_sequence("weights", weights)
        policy = np.ones(self.sequences)
        if len(self.sets):
            sums = np.add.reduceat(weights[self.players :], self.sets["first_sequence"] - self.players)[self.owners]
            shares = np.divide(weights[self.players :], sums, out=np.zeros(len(sums)), where=sums > 0)
            policy[self.players :] = np.where(sums > 0, shares, 1 / self.sets["actions"][self.owners])
        return policy

    def uniform(self) -> np.ndarray:
        """The policy that takes all legal actions with equal probability."""
        return self.normalised(np.zeros(self.sequences))

    def _by_sequence(self, name: str, given: Any) -> np.ndarray:
        """(S) float64: a number for each sequence.

        Raises:
            ConfigurationError: it is something else.
        """
        numbers = as_array(given)
        if numbers.shape != (self.sequences,) or numbers.dtype.kind not in "fiu":
            raise ConfigurationError(
                f"{name}: must be {self.sequences:,} numbers, one for each sequence of the tree, as uniform() gives."
            )
        return np.ascontiguousarray(numbers, np.float64)

    def checked_policy(self, policy: np.ndarray, ignored: int | None = None) -> np.ndarray:
        """A policy for compiled code, (S) float64.

        Args:
            ignored: a seat for which its numbers are not checked.

        Raises:
            ConfigurationError: it has another shape, or its numbers are not probabilities.
        """
        numbers = self._by_sequence("policy", policy)
        if len(self.sets):
            sums = np.add.reduceat(numbers[self.players :], self.sets["first_sequence"] - self.players)
            least = np.minimum.reduceat(numbers[self.players :], self.sets["first_sequence"] - self.players)
            right = (least >= 0) & (np.abs(sums - 1) <= ROUNDING) | (self.sets["seat"] == ignored)
            if not right.all():
                wrong = int(np.argmin(right))
                raise ConfigurationError(
                    f"policy: must be probabilities, and those of the information set {wrong} add up to "
                    f"{sums[wrong]:g}; normalised(weights) gives a policy."
                )
        return numbers

    @functools.cached_property
    def _parents(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.nodes), dtype=np.int32), self.nodes["edges"])

    @functools.cached_property
    def _edges_before(self) -> np.ndarray:
        before = np.full(len(self.nodes), -1, np.int32)
        before[self.edges["child"]] = np.arange(len(self.edges), dtype=np.int32)
        return before

    def rows(self, nodes: np.ndarray) -> np.ndarray:
        """(n) records of ``STATE``: the rows of these nodes.

        Raises:
            ConfigurationError: there are no such nodes.
        """
        nodes = np.atleast_1d(checked_within("nodes", nodes, len(self.nodes)))
        rows = np.zeros(len(nodes), self.game.state)
        write = program(self.game).bind(write_rows)
        actions = np.ascontiguousarray(self.edges["action"])
        trail = np.zeros(DEEPEST, np.int32)
        write(self.root, np.asarray(nodes, np.int64), self._edges_before, self._parents, actions, trail, rows)
        return rows

    def history(self, node: int) -> list[str]:
        """The actions and outcomes between the root and a node, in the notation of the game.

        Raises:
            ConfigurationError: there is no such node.
        """
        node = checked_index("node", node, len(self.nodes))
        steps: list[str] = []
        while node > 0:
            edge = self._edges_before[node]
            node = int(self._parents[edge])
            by_chance = self.nodes["actor"][node] == CHANCE
            steps.append((self.game.outcomes if by_chance else self.game.actions)[self.edges["action"][edge]])
        return steps[::-1]

    def first_decision(self, policy: np.ndarray) -> dict[str, float]:
        """The probability of each action of the first decision; after chance, its mean over the outcomes.

        Raises:
            ConfigurationError: it is not a policy of this tree.
        """
        policy = self.checked_policy(policy)
        shares: dict[str, float] = {}
        reached = [(0, 1.0)]
        while reached:
            number, probability = reached.pop()
            node = self.nodes[number]
            for k, edge in enumerate(self.edges[node["first_edge"] : node["first_edge"] + node["edges"]]):
                if node["actor"] == CHANCE:
                    reached.append((int(edge["child"]), probability * edge["probability"]))
                    continue
                share = probability * policy[self.sets["first_sequence"][node["place"]] + k]
                name = self.game.actions[edge["action"]]
                shares[name] = shares.get(name, 0.0) + float(share)
        return {name: share for name, share in shares.items() if share > 0}


def checked_tree(tree: Any) -> GameTree:
    """A tree that a caller has given, checked.

    Raises:
        ConfigurationError: it is something else, such as a game; trees are made from positions.
    """
    if not isinstance(tree, GameTree):
        raise ConfigurationError(
            f"tree={shown(tree)}: must be a GameTree, such as build_game_tree(position) makes; game.preset(name)"
            ".position(game) is a position."
        )
    return tree


def build_game_tree(position: Position, most: int = MOST_HISTORIES) -> GameTree:
    """All histories below a position.

    Args:
        most: the most histories; a larger tree is refused.

    Raises:
        ConfigurationError: the tree is too large, or ``position`` is not a position.
    """
    if not isinstance(position, Position):
        raise ConfigurationError(
            f"position={shown(position)}: must be a Position, such as Preset.position(game) gives."
        )
    most = checked_count("most", most)
    game, players = position.game, position.configuration.players
    room = _room(game)
    path, counted = room["path"], room["counted"]
    path["row"][0] = position.state
    path["chance"][0] = 1
    path["sequences"][0] = path["past"][0, :, 0] = np.arange(game.seats)
    counted[-1] = players
    fault, *written = position.program.bind(write_histories, BY_WORDS)(*room.values(), players, most)
    if fault:
        raise _refusal(game, fault, most)
    nodes, edges, sets, ends = (array[:used] for array, used in zip(written, counted, strict=False))
    root = np.array([position.state], game.state)
    returns = np.ascontiguousarray(ends["returns"][:, :players])
    payoffs = _payoffs(ends["sequences"][:, :players], ends["chance"][:, None] * returns)
    return GameTree(game, players, root, nodes, edges, sets, returns, payoffs)


def _room(game: Game) -> dict[str, np.ndarray]:
    """The initial arrays of :func:`~rat_envs.solving.histories.write_histories`, in its order."""
    seats = (game.seats,)
    step = [("row", game.state), ("past", "u8", (*seats, 2)), ("sequences", "i4", seats)]
    step += [("chance", "f8"), ("node", "i8"), ("done", "i8")]
    words = -(-game.observation.itemsize // 8)
    formats = [game.observation, ("u8", (words,))]
    view = {"names": ["observation", "words"], "formats": formats, "offsets": [0, 0], "itemsize": 8 * words}
    end = [("returns", "f8", seats), ("sequences", "i4", seats), ("chance", "f8")]
    return {
        "path": np.zeros(DEEPEST, np.dtype((np.record, step))),
        "view": np.zeros(1, np.dtype((np.record, view))),
        "mask": np.zeros(len(game.actions), np.int8),
        "weights": np.zeros(len(game.outcomes), np.int32),
        "nodes": np.zeros(FIRST_ROOM, NODE_OF_HISTORY),
        "edges": np.zeros(FIRST_ROOM, EDGE),
        "sets": np.zeros(FIRST_ROOM, INFORMATION_SET),
        "slots": np.full(4 * FIRST_ROOM, -1, np.int32),
        "ends": np.zeros(FIRST_ROOM, np.dtype((np.record, end))),
        "counted": np.zeros(5, np.int64),
    }


def _refusal(game: Game, fault: int, most: int) -> Exception:
    names = " or ".join(f"preset {preset.name}" for preset in game.presets) or "a position near the end of a game"
    if fault == TOO_MANY:
        met = f"there are more than {most:,} histories"
    elif fault == TOO_DEEP:
        met = f"there is a history of more than {DEEPEST:,} nodes"
    else:
        return RuntimeError(f"{game.name}: histories that look alike to a seat differ in what it may do or has done.")
    return ConfigurationError(f"{game.name} is too large for a tabular solver here: {met}; small enough is {names}.")


def _payoffs(sequences: np.ndarray, values: np.ndarray) -> Payoffs:
    """Sum over the ends to which the same sequences lead."""
    group = np.zeros(len(sequences), np.int64)
    for column in sequences.T:  # pairs are numbered anew each time, so that the products stay small
        group = np.unique(group * (int(sequences.max()) + 1) + column, return_inverse=True)[1]
    _, first = np.unique(group, return_index=True)
    sums = [np.bincount(group, column) for column in values.T]
    return Payoffs(np.ascontiguousarray(sequences[first]), np.ascontiguousarray(np.stack(sums, axis=1)))
