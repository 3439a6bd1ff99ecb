"""Crossed features: each combination of some numbers of an observation has parameters of its own.

A network of a few layers is bad at functions that depend on many numbers at once, as the equilibrium of BraveRats does
on both hands. A combination adds a row of a table to the inputs of its first hidden layer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rat_envs.engine.errors import shown
from rat_envs.engine.hashing import add_word

__all__ = ["WORD", "Crossed", "Crossing", "keys_of"]

#: How many numbers are hashed at once.
WORD = 8


def keys_of(observations: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """(n) uint64: a hash of some numbers of every observation, of int8."""
    words = max(1, -(-len(columns) // WORD))
    padded = np.zeros((len(observations), WORD * words), np.int8)
    padded[:, : len(columns)] = observations[:, columns]
    keys = np.zeros(len(observations), np.uint64)
    with np.errstate(over="ignore"):
        for word in padded.view(np.uint64).T:
            keys = add_word(keys, word)
    return keys


@dataclass(frozen=True, eq=False)
class Crossing:
    """The combinations of numbers that have parameters.

    Attributes:
        columns: (C) int64, the indices of these numbers in an observation.
        known: (m) uint64, ascending, the keys of the combinations that are distinguished; all others have the number 0.
    """

    columns: np.ndarray
    known: np.ndarray

    def numbers(self, observations: np.ndarray) -> np.ndarray:
        """(n) int64: the number of each observation's combination, from 1 to m if it is known."""
        keys = keys_of(observations, self.columns)
        places = np.minimum(np.searchsorted(self.known, keys), len(self.known) - 1)
        return np.where(self.known[places] == keys, places + 1, 0)

    def equals(self, other: Crossing) -> bool:
        """Whether it distinguishes the same combinations."""
        return np.array_equal(self.columns, other.columns) and np.array_equal(self.known, other.known)


@dataclass(frozen=True, eq=False)
class Crossed:
    """The tables that combinations add to the inputs of the first hidden layer of ``K`` networks.

    Attributes:
        crossing: the combinations.
        tables: (K, m + 1, H) float32.
    """

    crossing: Crossing
    tables: np.ndarray

    def added(self, observations: np.ndarray) -> np.ndarray:
        """(K, n, H) float32 for (n, O) int8 observations."""
        rows: np.ndarray = self.tables[:, self.crossing.numbers(observations)]
        return rows

    def arrays(self) -> dict[str, np.ndarray]:
        """The parameters by name, for a file: one table below the other."""
        table = self.tables.reshape(-1, self.tables.shape[2])
        return {"crossed_columns": self.crossing.columns, "crossed_keys": self.crossing.known, "crossed_table": table}

    @staticmethod
    def from_arrays(arrays: Mapping[str, np.ndarray], networks: int, layers: list[int]) -> Crossed:
        """The reverse of :meth:`arrays`; the table may be float32 or float16.

        Raises:
            ValueError: an array is missing, or they do not fit together.
        """
        columns = _expect(arrays, "crossed_columns", np.int64, (None,))
        known = _expect(arrays, "crossed_keys", np.uint64, (None,))
        half = "crossed_table" in arrays and arrays["crossed_table"].dtype == np.float16
        shape = networks * (len(known) + 1), layers[1]
        table = _expect(arrays, "crossed_table", np.float16 if half else np.float32, shape)
        if (columns < 0).any() or (columns >= layers[0]).any() or not len(known):
            raise ValueError("the crossed columns are not those of an observation")
        if (known[1:] <= known[:-1]).any() or not np.isfinite(table).all():
            raise ValueError("the crossed keys do not ascend, or their table holds numbers that are not finite")
        tables = table.astype(np.float32, copy=False).reshape(networks, -1, layers[1])
        return Crossed(Crossing(columns, known), tables)


def _expect(arrays: Mapping[str, np.ndarray], name: str, kind: Any, shape: tuple[int | None, ...]) -> np.ndarray:
    array = arrays.get(name)
    fits = array is not None and array.dtype == kind and array.ndim == len(shape)
    if array is None or not fits or any(n not in (None, m) for n, m in zip(shape, array.shape, strict=True)):
        raise ValueError(f"the array {name} is not of {np.dtype(kind).name} and shape {shown(shape)}")
    return array
