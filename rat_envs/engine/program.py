"""One game's rules and the engine's kernels, bound together and compiled on first use."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from rat_envs.engine import contract, kernels, random
from rat_envs.engine.compile import Specialiser, announce, cache_folder, called_instead, compiling, sources_of
from rat_envs.engine.errors import ChangedRulesWarning
from rat_envs.engine.game import Game
from rat_envs.engine.memory import GAMES_PER_SCRATCH, layout, values
from rat_envs.engine.random import STREAM

__all__ = ["Program", "program"]

#: Held while functions are bound: another thread must not call one before it has all its globals.
ONE_AT_A_TIME = threading.RLock()
#: Modules that nobody edits while a game is played begin so, and that of a notebook's cells.
NOT_WATCHED = ("rat_envs.engine.", "numpy.", "numba.", "__main__.")

#: What declared names besides the rules stand for: functions or constants, by declared name.
Meanings = Mapping[Any, Any]


class Bound:
    """An attribute of :class:`Program`: a rule or a kernel, bound to the game when it is first asked for.

    Args:
        template: what was declared or written for all games.
    """

    def __init__(self, template: Callable[..., Any]) -> None:
        self.template = template

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, program: Program | None, owner: type) -> Any:
        if program is None:
            return self
        bound = program.__dict__[self.name] = program.bind(self.template)
        return bound


class Program:
    """The functions of one game, ready to call: every rule and every kernel.

    They are made when they are first asked for, so that a process compiles only what it uses.
    """

    setup = Bound(contract.setup)
    actor = Bound(contract.actor)
    legal = Bound(contract.legal)
    chance = Bound(contract.chance)
    apply = Bound(contract.apply)
    observe = Bound(contract.observe)
    observe_fixed = Bound(contract.observe_fixed)
    returns = Bound(contract.returns)
    scores = Bound(contract.scores)
    winners = Bound(contract.winners)
    eliminated = Bound(contract.eliminated)
    determinize = Bound(contract.determinize)
    tally = Bound(contract.tally)
    simultaneous = Bound(contract.simultaneous)
    answering = Bound(contract.answering)
    public = Bound(contract.public)
    possible = Bound(contract.possible)

    resolve_chance = Bound(kernels.resolve_chance)
    reset = Bound(kernels.reset)
    step = Bound(kernels.step)
    step_one = Bound(kernels.step_one)
    first_illegal = Bound(kernels.first_illegal)
    refresh = Bound(kernels.refresh)
    first_impossible = Bound(kernels.first_impossible)
    seed_streams = Bound(kernels.seed_streams)
    observe_one = Bound(kernels.observe_one)
    observe_whole = Bound(kernels.observe_whole)
    observe_seats = Bound(kernels.observe_seats)
    determinize_rows = Bound(kernels.determinize_rows)

    seed_stream = Bound(random.seed_stream)
    next_bits = Bound(random.next_bits)
    draw_below = Bound(random.draw_below)
    draw_set_byte = Bound(random.draw_set_byte)
    draw_weighted = Bound(random.draw_weighted)

    def __init__(self, game: Game, compiled: bool) -> None:
        self.game = game
        self.compiled = compiled
        self.layout = layout(game)
        self.scratch = values("i4", len(game.outcomes))
        ends = list(itertools.accumulate(kind.itemsize for kind in self.layout.values()))
        before = dict(zip(self.layout, [0, *ends[:-1]], strict=True))
        #: Memory of a batch, per game.
        self.bytes_per_game = ends[-1]
        constants = {
            **self.layout,
            **{f"BEFORE_{name}": offset for name, offset in before.items() if name != "STREAMS"},
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
            "MASK_BYTES": values("i1", len(game.actions)),
            "MASK_WORDS": values("u8", self.layout["MASKS"].itemsize // 8),
            "SCRATCH_SIZE": self.scratch.itemsize,
            "CONFIGURATION_SIZE": game.state["config"].itemsize,
        }
        self._meanings: Meanings = {
            **{getattr(contract, rule.name): getattr(game.rules, rule.name) for rule in dataclasses.fields(game.rules)},
            **{getattr(kernels, name): value for name, value in constants.items()},
            contract.NUMBER_OF_ACTIONS: len(game.actions),
            contract.NUMBER_OF_OUTCOMES: len(game.outcomes),
        }
        self._watched = one_of_each_module(game)
        self._specialisers: dict[Any, Specialiser] = {}
        self._bound: dict[Any, Any] = {}

    def notice_changes(self) -> None:
        """Warn, once for each module, of rules that have been loaded again since this program was made.

        What is compiled, and what is cached of it, stays as it was.
        """
        for names, name, function, code in self._watched:
            if names.get(name) is not function or function.__code__ is not code:
                _say_loaded_again(self.game.title, function.__module__)

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

    def bind(self, template: Callable[..., Any], others: Meanings | None = None) -> Callable[..., Any]:
        """``template``, a plain function over the names of the contract, bound to this game and compiled with it.

        Args:
            others: what further declared names of the template stand for.

        Raises:
            TypeError: the template asks for something that stands for nothing.
        """
        others = others or {}
        key = (template, *others.items())
        if key not in self._bound:
            with ONE_AT_A_TIME:
                make, function = self._specialiser(others), self._meanings.get(template, template)
                self._bound[key] = make(function)
        return self._bound[key]

    def _specialiser(self, others: Meanings) -> Specialiser:
        key = tuple(others.items())
        if key not in self._specialisers:
            self._specialisers[key] = Specialiser(
                self._meanings,
                called_instead(self.compiled),
                functools.partial(cache_folder, sources_of(self.game.rules.setup)),
                self.compiled,
                self.game.name,
                others,
                self._specialiser({}) if others else None,
                functools.partial(announce, self.game.title, self.game.compile_seconds),
            )
        return self._specialisers[key]


def one_of_each_module(game: Game) -> list[tuple[dict[str, Any], str, FunctionType, CodeType]]:
    """A function of each module from which a game's rules come: the module's names, and the function's name, itself and
    its code. Loading a module again replaces all its functions or, with IPython's autoreload, their code.

    What is written in a notebook's cells is left out, where names are often used again.
    """
    waiting: list[Any] = [getattr(game.rules, rule.name) for rule in dataclasses.fields(game.rules)]
    found: dict[int, FunctionType] = {}
    while waiting:
        value = waiting.pop()
        if not isinstance(value, FunctionType) or id(value.__globals__) in found:
            continue
        function: FunctionType = value
        module = f"{function.__module__}."
        if module.startswith(NOT_WATCHED) or module.partition(".")[0] in sys.stdlib_module_names:
            continue
        if function.__globals__.get(function.__name__) is not function:
            continue
        found[id(function.__globals__)] = function
        waiting += function.__globals__.values()
    return [(each.__globals__, each.__name__, each, each.__code__) for each in found.values()]


@functools.cache
def _say_loaded_again(title: str, module: str) -> None:
    warnings.warn(
        f"{module} has been loaded again, but {title} is still played by the rules that were compiled before: start "
        "Python, or the notebook's kernel, again.",
        ChangedRulesWarning,
        stacklevel=4,
    )


@functools.cache
def _program(game: Game, compiled: bool) -> Program:
    return Program(game, compiled)


def program(game: Game, compiled: bool | None = None) -> Program:
    """The program of ``game``, made once per process; compiled unless ``NUMBA_DISABLE_JIT=1`` or ``compiled=False``."""
    return _program(game, compiling() if compiled is None else compiled)
