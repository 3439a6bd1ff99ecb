"""What may be hidden from a seat: how often each number of the table takes each value in samples of ``determinize``.

No game is known here: what is compared are the fields of its rows, and what is shown are their names.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from rat_envs.engine.game import Game
from rat_envs.engine.position import new_stream
from rat_envs.engine.program import program

__all__ = ["SAMPLES", "beliefs"]

#: Tables that are sampled for a frame.
SAMPLES = 100
#: Numbers of a table, the most uncertain ones, and values of each that are shown.
MOST_NUMBERS, MOST_VALUES = 12, 5
#: Of every sample: what is sampled depends on nothing but what the seat sees.
SEED = 1

Belief = tuple[str, list[tuple[str, float]]]


def beliefs(game: Game, row: Any, seat: int) -> list[Belief]:
    """The most uncertain numbers of a table in the eyes of a seat: a function of what it sees alone.

    Args:
        game: whose table it is.
        row: record of its ``STATE``.
        seat: who looks at it.

    Returns:
        For each number its name and its values, each with the share of samples in which it is so, most frequent first;
        nothing if nothing is hidden.
    """
    rows = np.repeat(np.asarray(row).reshape(1), SAMPLES)
    program(game).determinize_rows(rows, np.full(SAMPLES, seat), new_stream(game, SEED))
    found = []
    for name in (game.state.names or ())[1:]:  # the first field is the configuration
        if name not in game.knowledge:
            found += _uncertain(name, rows[name])
    most_uncertain = sorted(found, key=lambda one: one[1][0][1])[:MOST_NUMBERS]
    return [one for one in found if one in most_uncertain]


def _uncertain(name: str, values: np.ndarray) -> list[Belief]:
    """What is not the same in all samples of one field, (SAMPLES, …)."""
    words = name.replace("_", " ")
    differing = np.argwhere(np.atleast_1d((values != values[:1]).any(axis=0))).tolist()
    if values.ndim == 1:
        return [(words, _shares(values))] if differing else []
    return [
        (words + "".join(f" [{index}]" for index in place), _shares(values[(slice(None), *place)]))
        for place in differing
    ]


def _shares(values: np.ndarray) -> list[tuple[str, float]]:
    """How often each value occurs, the most frequent ones first, the rare ones together."""
    numbers, counts = np.unique(values, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    shares = [(str(int(numbers[place])), round(int(counts[place]) / len(values), 3)) for place in order]
    rare = shares[MOST_VALUES:]
    others = [("others", round(sum(share for _, share in rare), 3))] if rare else []
    return [*itertools.islice(shares, MOST_VALUES), *others]
