"""One game's rules and the engine's kernels, bound together and compiled on first use."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from rat_envs.engine import kernels, random
from rat_envs.engine.compile import Specialiser, announce, cache_folder, compiling, package_folder
from rat_envs.engine.counts import copy_all, copy_all_compiled
from rat_envs.engine.game import Game
from rat_envs.engine.memory import (
    GAMES_PER_SCRATCH,
    blank,
    blank_compiled,
    fetch_ahead,
    fetch_ahead_compiled,
    layout,
    record_at,
    record_at_compiled,
    values,
)
from rat_envs.engine.random import STREAM

__all__ = ["Program", "program"]


class Program:
    """The functions of one game, ready to call: every rule of :class:`~rat_envs.engine.game.Rules` and every kernel.

    Attributes are made when they are first asked for, so that a process compiles only what it uses.
    """

    def __init__(self, game: Game, compiled: bool) -> None:
        self.game = game
        self.compiled = compiled
        self.layout = layout(game)
        self.scratch = values("i4", len(game.outcomes))
        ends = list(itertools.accumulate(kind.itemsize for kind in self.layout.values()))
        before = dict(zip(self.layout, [0, *ends[:-1]], strict=True))
        #: Memory of a batch, per game.
        self.bytes_per_game = ends[-1]
        self.names = {
            **{field.name: getattr(game.rules, field.name) for field in dataclasses.fields(game.rules)},
            **self.layout,
            **{f"BEFORE_{name}": offset for name, offset in before.items()},
            "BEFORE_SCRATCH": self.bytes_per_game,
            "SCRATCH": self.scratch,
            "ROW_BYTES": values("i1", game.state.itemsize),
            "OBSERVATION_BYTES": values("i1", game.observation.itemsize),
            "CHANGING_BYTES": values("i1", game.bytes_before_fixed),
            "STREAM_SIZE": STREAM.itemsize,
            "REWARDS_SIZE": self.layout["REWARDS"].itemsize,
            "ROW_SIZE": game.state.itemsize,
            "OBSERVATION_SIZE": game.observation.itemsize,
            "MASK_SIZE": self.layout["MASKS"].itemsize,
            "MASK_WORDS": values("u8", self.layout["MASKS"].itemsize // 8),
            "SCRATCH_SIZE": self.scratch.itemsize,
            "CONFIGURATION_SIZE": game.state["config"].itemsize,
            "NUMBER_OF_ACTIONS": len(game.actions),
            "NUMBER_OF_OUTCOMES": len(game.outcomes),
        }
        self.instead: dict[Any, Any] = {}
        if compiled:
            self.instead[record_at] = record_at_compiled()
            self.instead[fetch_ahead] = fetch_ahead_compiled()
            self.instead[blank] = blank_compiled()
            self.instead[copy_all] = copy_all_compiled()
        self._done: dict[Any, Any] = {}
        self._bound: dict[Any, Any] = {}

    def new_arena(self, n: int) -> np.ndarray:
        """Memory for ``n`` games: the arrays of :func:`~rat_envs.engine.memory.layout`, then scratch; all 0.

        Scratch is one observation for ``observe_one``, then weights of chance nodes for every thread.
        """
        scratch = self.game.observation.itemsize + (n // GAMES_PER_SCRATCH + 1) * self.scratch.itemsize
        return np.zeros(n * self.bytes_per_game + scratch, np.uint8)

    def arrays(self, arena: np.ndarray, n: int) -> dict[str, np.ndarray]:
        """The arrays in ``arena`` by name, as views."""
        edges = itertools.accumulate([0, *(n * kind.itemsize for kind in self.layout.values())])
        places = itertools.pairwise(edges)
        return {name: arena[a:b].view(kind) for (name, kind), (a, b) in zip(self.layout.items(), places, strict=True)}

    def bind(self, function: Callable[..., Any], **others: Callable[..., Any]) -> Callable[..., Any]:
        """``function``, a template over the names of the contract, bound to this game and compiled with it.

        Args:
            others: plain functions that further global names of the template stand for.
        """
        key = (function, *sorted(others.items()))
        if key not in self._bound:
            parts = (kernels.step, self.game.rules.setup, function, *others.values())
            folder = cache_folder(tuple(sorted({package_folder(part) for part in parts})))
            if self.compiled:
                announce(self.game.title, folder)
            make = Specialiser(self.names, self.instead, folder, self.compiled, self.game.name, self._done)
            if others:
                label = "_".join([self.game.name, *(other.__name__ for _, other in sorted(others.items()))])
                make = dataclasses.replace(make, label=label, done={}, others=others, common=make)
            self._bound[key] = make(function)
        return self._bound[key]

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        shared = kernels if hasattr(kernels, name) else random
        bound = self.bind(self.names[name] if name in self.names else getattr(shared, name))
        setattr(self, name, bound)
        return bound


@functools.cache
def _program(game: Game, compiled: bool) -> Program:
    return Program(game, compiled)


def program(game: Game, compiled: bool | None = None) -> Program:
    """The program of ``game``, made once a process; compiled unless ``NUMBA_DISABLE_JIT=1`` or ``compiled=False``."""
    return _program(game, compiling() if compiled is None else compiled)
