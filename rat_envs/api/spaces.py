"""Spaces of a game's observations and actions, and the names of its agents."""

from __future__ import annotations

import copy
from collections.abc import Hashable
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from rat_envs.engine.game import Game
from rat_envs.engine.seeds import one_way_seed

__all__ = [
    "LegalActions",
    "LegalActionsOfMany",
    "copy_of_space",
    "masked_observation_space",
    "seat_names",
    "vector_space",
]

INT8 = np.iinfo(np.int8)


def seat_names(players: int) -> list[str]:
    """``player_0``, ``player_1``, … clockwise."""
    return [f"player_{seat}" for seat in range(players)]


class LegalActions(spaces.Discrete):
    """The actions by number; ``sample()`` without a mask draws one that is legal at the moment.

    If none is legal, for example while others act, it draws from all actions, as ``Discrete`` does. So does a copy of
    the space alone, or one in another process, which has no game.

    Args:
        n: number of actions.
        owner: the environment; its ``legal_for(who)`` is the present mask, (n,) int8.
        who: the seat whose actions they are, by the owner's name for it.
    """

    #: The game's seed and a number, from which its own seed is computed when it is first needed.
    _made_of: tuple[int, int] | None = None

    def __init__(self, n: int, owner: Any, who: Hashable) -> None:
        super().__init__(n)
        self.owner = owner
        self.who = who
        self._seed: int | None = None

    def seed(self, seed: int | None = None) -> int | list[int]:
        """The same as in gymnasium. The generator is made when it is first used, which is rare."""
        self._seed, self._made_of = seed, None
        if seed is None:
            return super().seed()
        self._np_random = None  # type: ignore[assignment]
        return seed

    def seed_with_game(self, seed: int, number: int) -> None:
        """Begin anew with random numbers that depend on the game's seed and the space's number.

        A copy in another process may belong to an agent, and the game's seed determines all chance in the game. So the
        space's seed is computed from it, when first needed, in a way that reveals nothing about the game's.
        """
        self._made_of = seed, number
        self._np_random = None  # type: ignore[assignment]

    def _own_seed(self) -> int | None:
        if self._made_of is not None:
            self._seed, self._made_of = one_way_seed("action space", *self._made_of), None
        return self._seed

    def legal(self) -> np.ndarray:
        """The present mask, (n,) int8."""
        return self.owner.legal_for(self.who)

    def __getstate__(self) -> dict[str, Any]:
        self._own_seed()
        return {**self.__dict__, "owner": None}

    @property
    def np_random(self) -> np.random.Generator:
        """The generator behind ``sample()``."""
        if self._np_random is None:
            super().seed(self._own_seed())
        assert self._np_random is not None
        return self._np_random

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """A random action: a legal one, or one drawn by the mask or the probabilities; 0 if the mask forbids all."""
        if mask is None and probability is None:
            mask = self._legal_if_any()
        return super().sample(mask, probability)

    def _legal_if_any(self) -> np.ndarray | None:
        if self.owner is None:
            return None
        try:
            legal = self.legal()
        except ResetNeeded:
            return None
        return legal if legal.any() else None


class LegalActionsOfMany(spaces.MultiDiscrete):
    """One action by number for each of many games; ``sample()`` without a mask draws actions that are legal at the
    moment.

    Args:
        n: number of games.
        actions: number of actions.
        owner: the object with the games; its attribute ``masks`` is (n, actions) int8. As with :class:`LegalActions`, a
            copy of the space alone has none.
    """

    def __init__(self, n: int, actions: int, owner: Any) -> None:
        super().__init__(np.full(n, actions, np.int64))
        self.owner = owner

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "owner": None}

    def sample(self, mask: Any = None, probability: Any = None) -> np.ndarray:
        """(n,) int64: random actions: legal ones, or drawn by the masks or the probabilities."""
        if self.owner is None or mask is not None or probability is not None:
            return super().sample(mask, probability)
        masks = self.owner.masks
        return (masks * (1 - self.np_random.random(masks.shape))).argmax(axis=1)


def copy_of_space(space: spaces.Space) -> spaces.Space:
    """The same space with random numbers of its own; what never changes is shared."""
    twin: spaces.Space = object.__new__(type(space))
    twin.__dict__.update(space.__dict__, _np_random=copy.deepcopy(space._np_random))
    if isinstance(twin, spaces.Dict):
        twin.spaces = {name: copy_of_space(part) for name, part in twin.spaces.items()}
    return twin


def vector_space(game: Game, seats: int = 1) -> spaces.Box:
    """The space of observations as a flat int8 vector; with several seats, one after another."""
    return spaces.Box(INT8.min, INT8.max, (seats * game.observation.itemsize,), np.int8)


def masked_observation_space(game: Game, actions: int) -> spaces.Dict:
    """``{"observation": int8 vector, "action_mask": int8 vector of 0 and 1}``."""
    mask = spaces.Box(0, 1, (actions,), np.int8)
    return spaces.Dict({"observation": vector_space(game), "action_mask": mask})
