"""Beliefs: how frequent each hidden fact of the table is in samples of ``determinize`` for a seat.

This works for every game: the game gives its hidden facts in words (``Game.hidden_facts``), or the fields of its rows
are compared and named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rat_envs.engine.game import Game
from rat_envs.engine.position import new_stream
from rat_envs.engine.program import program

__all__ = ["SAMPLES", "beliefs"]

#: The number of tables that are sampled for a frame.
SAMPLES = 100
#: The most numbers of a table that are shown (the most uncertain ones), and the most values of each.
MOST_NUMBERS, MOST_VALUES = 12, 5
#: The seed of every sample: samples depend only on what the seat sees.
SEED = 1

Belief = tuple[str, list[tuple[str, float]]]


def beliefs(game: Game, row: Any, seat: int) -> list[Belief]:
    """The most uncertain numbers of a table for a seat; they depend only on what it sees.

    Args:
        game: the game.
        row: a record of its ``STATE``.
        seat: the seat that looks at it.

    Returns:
        For each number its name and its values, each with its share of the samples, most frequent first; nothing if
            nothing is hidden.
    """
    rows = np.repeat(np.asarray(row).reshape(1), SAMPLES)
    program(game).determinize_rows(rows, np.full(SAMPLES, seat, np.int32), new_stream(game, SEED))
    found = _by_field(game, rows) if game.hidden_facts is None else _in_words(game.hidden_facts, rows)
    uncertain = [(name, _shares(values)) for name, values in found if len(set(values)) > 1]
    shown = sorted(uncertain, key=lambda one: one[1][0][1])[:MOST_NUMBERS]
    return [one for one in uncertain if one in shown]


def _in_words(hidden_facts: Callable[[Any], dict[str, str]], rows: np.ndarray) -> Iterator[tuple[str, list[str]]]:
    """The game's facts in words in each of the samples, by name."""
    tables = [hidden_facts(row) for row in rows]
    for name in dict.fromkeys(name for table in tables for name in table):
        yield name, [table.get(name, "none") for table in tables]


def _by_field(game: Game, rows: np.ndarray) -> Iterator[tuple[str, list[str]]]:
    """The numbers of the samples that are not the same in all of them, by their field and place."""
    for name in (game.state.names or ())[1:]:  # the first field is the configuration
        if name not in game.knowledge:
            numbers = rows[name].reshape(len(rows), -1)
            for place in np.flatnonzero((numbers != numbers[:1]).any(axis=0)).tolist():
                indices = np.unravel_index(place, rows.dtype[name].shape)
                words = name.replace("_", " ") + "".join(f" [{index}]" for index in indices)
                yield words, [str(number) for number in numbers[:, place].tolist()]


def _shares(values: list[str]) -> list[tuple[str, float]]:
    """How often each value occurs, the most frequent ones first, the rare ones together."""
    shares = [(value, round(number / len(values), 3)) for value, number in Counter(values).most_common()]
    rare = shares[MOST_VALUES:]
    others = [("others", round(sum(share for _, share in rare), 3))] if rare else []
    return [*shares[:MOST_VALUES], *others]
