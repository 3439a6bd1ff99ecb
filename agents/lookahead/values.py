"""A small network that values states, evaluated in numpy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rat_envs.agents.policy import Networks
from rat_envs.engine.errors import shown
from rat_envs.engine.hashing import add_word

__all__ = ["Crossing", "ValueNetwork", "keys_of"]


def keys_of(observations: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """(n) uint64: a hash of some numbers of every observation, of int8."""
    words = max(1, -(-len(columns) // 8))
    padded = np.zeros((len(observations), 8 * words), np.int8)
    padded[:, : len(columns)] = observations[:, columns]
    keys = np.zeros(len(observations), np.uint64)
    with np.errstate(over="ignore"):
        for word in padded.view(np.uint64).T:
            keys = add_word(keys, word)
    return keys


@dataclass(frozen=True, eq=False)
class Crossing:
    """Numbers of an observation that matter together: each of their combinations has a number of its own.

    Attributes:
        columns: (C) int64, which numbers.
        known: (m) uint64, ascending, the keys of the combinations that are told apart; all others are number 0.
    """

    columns: np.ndarray
    known: np.ndarray

    def numbers(self, observations: np.ndarray) -> np.ndarray:
        """(n) int64, from 1 to m for combinations that are known."""
        keys = keys_of(observations, self.columns)
        places = np.minimum(np.searchsorted(self.known, keys), len(self.known) - 1)
        return np.where(self.known[places] == keys, places + 1, 0)


@dataclass(frozen=True, eq=False)
class ValueNetwork:
    """The least return that a seat is sure of, and its return against random play, by its observation.

    Attributes:
        network: one network with two outputs.
        crossing: combinations of numbers that have parameters of their own.
        table: (m + 1, H) float32: what each combination adds to the inputs of the first hidden layer.
    """

    network: Networks
    crossing: Crossing
    table: np.ndarray

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """(n, 2) float32 for (n, O) int8 observations."""
        added = self.table[self.crossing.numbers(observations)]
        values: np.ndarray = self.network.outputs(observations, added)[0]
        return values

    def arrays(self) -> dict[str, np.ndarray]:
        """The parameters by name, for a file."""
        crossing = {"crossed_columns": self.crossing.columns, "crossed_keys": self.crossing.known}
        return {**self.network.arrays(), **crossing, "crossed_table": self.table}

    @staticmethod
    def from_arrays(arrays: Mapping[str, np.ndarray], layers: list[int], activation: str) -> ValueNetwork:
        """A network from what :meth:`arrays` returned.

        Raises:
            ValueError: something is missing, or does not fit together.
        """
        network = Networks.from_arrays(arrays, layers, activation)
        columns = _expect(arrays, "crossed_columns", np.int64, (None,))
        known = _expect(arrays, "crossed_keys", np.uint64, (None,))
        half = "crossed_table" in arrays and arrays["crossed_table"].dtype == np.float16
        table = _expect(arrays, "crossed_table", np.float16 if half else np.float32, (len(known) + 1, layers[1]))
        if len(network) != 1:
            raise ValueError(f"there are {len(network)} networks, not one")
        if (columns < 0).any() or (columns >= layers[0]).any() or not len(known):
            raise ValueError("the crossed columns are none of an observation")
        if (known[1:] <= known[:-1]).any() or not np.isfinite(table).all():
            raise ValueError("the crossed keys do not ascend, or their table holds numbers that are not finite")
        return ValueNetwork(network, Crossing(columns, known), table.astype(np.float32, copy=False))


def _expect(arrays: Mapping[str, np.ndarray], name: str, kind: Any, shape: tuple[int | None, ...]) -> np.ndarray:
    array = arrays.get(name)
    fits = array is not None and array.dtype == kind and array.ndim == len(shape)
    if array is None or not fits or any(n not in (None, m) for n, m in zip(shape, array.shape, strict=True)):
        raise ValueError(f"the array {name} is not of {np.dtype(kind).name} and shape {shown(shape)}")
    return array
