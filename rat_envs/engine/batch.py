"""Many games of one kind, stepped together; a single environment is a batch of one."""

from __future__ import annotations

import concurrent.futures
import functools
import itertools
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from rat_envs.engine.checks import (
    checked_actions,
    checked_count,
    checked_index,
    checked_seed,
    checked_within,
    not_legal,
)
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import CheckpointError, ConfigurationError, IllegalActionError, shown, shown_name
from rat_envs.engine.game import TERMINAL, Game
from rat_envs.engine.memory import GAMES_PER_SCRATCH
from rat_envs.engine.program import Program, program
from rat_envs.engine.random import CHANCE_STREAM, PLAY_STREAM
from rat_envs.engine.registry import get_game
from rat_envs.engine.results import results_of
from rat_envs.engine.states import demand_outcomes, demand_possible, demand_record, demand_row

__all__ = ["Batch", "available_cores"]

ConfigLike = Mapping[str, Any] | Configuration | None


@functools.cache
def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="rat_envs")


if hasattr(os, "register_at_fork"):  # a forked child has the pool without its threads, and would wait for ever
    os.register_at_fork(after_in_child=_workers.cache_clear)


@functools.cache
def available_cores() -> int:
    """The number of cores that this process may use: those it may run on, or ``RAT_ENVS_THREADS``.

    Raises:
        ConfigurationError: ``RAT_ENVS_THREADS`` is not a whole number from 1.
    """
    asked = os.environ.get("RAT_ENVS_THREADS", "").strip()
    if asked:
        if not asked.isdecimal() or not int(asked):
            raise ConfigurationError(f"RAT_ENVS_THREADS={shown_name(asked)}: must be a whole number from 1.")
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Batch:
    """``n`` games in one block of memory, filled in place by every call.

    Args:
        game: a registered name or a :class:`Game`.
        n: number of games.
        config: options, or a sequence of ``n`` of them: one batch can mix configurations.
        seed: game ``i`` has the random stream of seed ``seed + i``, as in gymnasium's vector environments; or a
            sequence of ``n`` seeds; or None for a seed from the operating system.
        auto_reset: begin a new game in the same step that ended one (``dones`` is set, ``rewards`` are the ended
            game's, ``observations`` and ``masks`` the new one's).
        threads: at most this many; by default all cores, for batches large enough to gain.
        compiled: False interprets the same code; by default as ``NUMBA_DISABLE_JIT`` says.

    Attributes:
        observations: (n, O) int8, of the seat to act in each game; all 0 when the game is over.
        masks: (n, A) int8, 1 for a legal action. They are read-only, since they say what is legal.
        actors: (n) int32, the seat to act, or ``TERMINAL``.
        rewards: (n, P) float32, by seat, of the last step. P is the largest number of seats of the game
            (``game.seats``); columns of unused seats stay 0.
        dones: (n) int8, 1 where the last step ended a game.
        actions: (n) int32, the last actions.
        states: (n) records of the game's ``STATE``.
        players: (n) int32, the number of seats in each game.
        step_one: ``(action) -> int``: applies an action in a batch of one, without automatic reset, at the least cost;
            returns the seat to act next, ``TERMINAL``, or ``ILLEGAL`` with nothing changed.

    Raises:
        ConfigurationError: an option, ``n``, ``threads`` or ``seed`` is wrong, or the games need too much memory.
        UnknownNameError: there is no such game.
    """

    def __init__(
        self,
        game: str | Game,
        n: int = 1,
        config: ConfigLike | Sequence[ConfigLike] = None,
        seed: int | Sequence[int] | None = None,
        *,
        auto_reset: bool = True,
        threads: int | None = None,
        compiled: bool | None = None,
    ) -> None:
        self.game = get_game(game)
        self.n = checked_count("n", n)
        self.auto_reset = auto_reset
        self.threads = None if threads is None else checked_count("threads", threads)
        self._seeded = False
        self.program: Program = program(self.game, compiled)
        self.program.notice_changes()
        self.configurations = self._configurations(config)
        self.players = np.array([configuration.players for configuration in self.configurations], np.int32)
        self._attach(self._new_arena())
        end = 0
        for _, alike in itertools.groupby(self.configurations, id):
            start, end = end, end + len(list(alike))
            self.configurations[start].write(self.states["config"][start])
            if end > start + 1:
                self.states["config"][start + 1 : end] = self.states["config"][start]
        self.reset(seed)

    def _new_arena(self) -> np.ndarray:
        try:
            return self.program.new_arena(self.n)
        except (MemoryError, ValueError, OverflowError):
            gigabytes = self.n * self.program.bytes_per_game / 1e9
            raise ConfigurationError(f"n={self.n}: this number of games needs {gigabytes:,.0f} GB of memory.") from None

    def _configurations(self, config: Any) -> list[Configuration]:
        if isinstance(config, Sequence) and not isinstance(config, str):
            if len(config) != self.n:
                raise ConfigurationError(
                    f"{len(config)} configurations for {self.n} games: give one, or one for each game."
                )
            return [self.game.configuration.make(values) for values in config]
        return [self.game.configuration.make(config)] * self.n

    def _attach(self, arena: np.ndarray) -> None:
        """Take ``arena`` as this batch's memory."""
        self._arena = arena
        self._memory = arena.ctypes.data if self.program.compiled else arena
        self.step_one = functools.partial(self.program.step_one, self._memory)
        self.step_one.arena = arena  # type: ignore[attr-defined]  # kept alive, as it knows only the address
        arrays = self.program.arrays(arena, self.n)
        self.streams, self.play_streams, self.states = arrays["STREAMS"], arrays["PLAY_STREAMS"], arrays["ROWS"]
        self.actors, self.actions = arrays["ACTORS"].view(np.int32), arrays["ACTIONS"].view(np.int32)
        self.rewards = arrays["REWARDS"].view(np.float32).reshape(self.n, -1)
        self.observations = arrays["OBSERVATIONS"].view(np.int8).reshape(self.n, -1)
        self.masks = arrays["MASKS"].view(np.int8).reshape(self.n, -1)[:, : len(self.game.actions)]
        self.masks.flags.writeable = False
        self.dones = arrays["DONES"].view(np.int8)
        scratch = self.n * self.program.bytes_per_game
        self._scratch_observation = arena[scratch : scratch + self.game.observation.itemsize].view(np.int8)

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Restart the random streams, without touching the games.

        Args:
            seed: as for the class.

        Raises:
            ConfigurationError: it is not a seed, or there is not one for each game.
        """
        if seed is None:
            seed = int.from_bytes(os.urandom(7), "little")
        self._seeded = True
        if np.ndim(seed) == 0:
            seeds = np.uint64(checked_seed(seed)) + np.arange(self.n, dtype=np.uint64)
        else:
            seeds = np.array([checked_seed(each) for each in np.asarray(seed, object).tolist()], np.uint64)
        if seeds.shape != (self.n,):
            raise ConfigurationError(f"{seeds.size} seeds for {self.n} games: give one number, or one for each game.")
        start = self.program.seed_streams
        start(self._memory, self.n, seeds, CHANCE_STREAM, PLAY_STREAM)

    def reset(self, seed: int | Sequence[int] | None = None) -> None:
        """Begin new games in all rows; without ``seed`` the random streams go on (after the first reset).

        Args:
            seed: as for the class.

        Raises:
            ConfigurationError: it is not a seed, or there is not one for each game.
        """
        if seed is not None or not self._seeded:
            self.seed(seed)
        self._run(self.program.reset, 0)

    def reset_done(self) -> None:
        """Begin new games where ``dones`` is set, for a batch without automatic reset."""
        self._run(self.program.reset, 1)

    def begin_at(self, state: Any, games: np.ndarray | None = None) -> None:
        """Continue games from another position; chance is drawn from their own streams.

        With automatic reset the next game begins from the start again: to begin all games at a position, call this
        after every step with those whose ``dones`` is set.

        Args:
            state: record of ``STATE``, such as ``Position.state``, with the configuration of these games.
            games: (k) which; all, if not given.

        Raises:
            ConfigurationError: no game with this configuration can be in this state, or there are no such games.
        """
        demand_record(self.game, state)
        chosen = np.arange(self.n) if games is None else np.atleast_1d(checked_within("games", games, self.n))
        own = np.frombuffer(state["config"].tobytes(), np.uint8)
        theirs = np.ascontiguousarray(self.states["config"][chosen]).view(np.uint8).reshape(len(chosen), len(own))
        if len(other := chosen[(theirs != own).any(axis=1)]):
            raise ConfigurationError(f"state: is of another configuration than game {other[0]}.")
        demand_row(self.game, state)
        state, weights = state.copy(), np.zeros(len(self.game.outcomes), np.int32)
        for i in chosen.tolist():
            self.states[i] = state
            self.program.resolve_chance(self.states[i], self.streams[i], weights)
        self.refresh()

    def step(self, actions: Any) -> None:
        """Apply one action per game; a negative one leaves its game alone.

        Args:
            actions: (n) integers, or one for all.

        Raises:
            IllegalActionError: an action is not legal; no game has been changed.
        """
        given = actions = checked_actions(actions, self.n)
        if actions.dtype.itemsize > 4 or actions.dtype == np.uint32:  # what is too large for 32 bits stays illegal
            actions = np.clip(actions, -1, len(self.game.actions))
        self.actions[:] = actions
        illegal = self.program.first_illegal(self._memory, self.n)
        if illegal >= 0:
            action = np.broadcast_to(given.reshape(-1), self.n)[illegal].item()
            raise IllegalActionError(f"Game {illegal}: {self.explain(illegal, action)}")
        self._run(self.program.step, int(self.auto_reset), 0)

    def step_random(self) -> None:
        """Apply a uniform legal action in every game, drawn from the games' own play streams into ``actions``."""
        self._run(self.program.step, int(self.auto_reset), 1)

    def draw_legal(self, i: int, mask: np.ndarray | None = None) -> int:
        """A uniform legal action of game ``i``, drawn from its own play stream.

        Args:
            mask: (k) int8, 1 for what may be drawn, in place of the game's mask.

        Raises:
            IllegalActionError: no action is legal, as when the game is over.
            ConfigurationError: there is no such game.
        """
        if type(i) is not int or not 0 <= i < self.n:
            i = checked_index("i", i, self.n)
        weights = (self.masks[i] if mask is None else mask).astype(np.int32)
        if not weights.any():
            raise IllegalActionError(f"Game {i}: there is no legal action to draw.")
        return int(self.program.draw_weighted(self.play_streams[i], weights))

    def observe(self, seats: Any, games: np.ndarray | None = None) -> np.ndarray:
        """(k, O) int8: what seat ``seats[k]``, or one seat for all, knows of game ``games[k]``, or of each in turn.

        Raises:
            ConfigurationError: there is no such game or seat.
        """
        games = np.arange(self.n) if games is None else checked_within("games", games, self.n).astype(np.int64)
        games = np.atleast_1d(games)
        checked_within("seats", seats, self.players[games])
        records = np.zeros(len(games), self.game.observation)
        seats = np.full(games.shape, seats, np.int32)
        self.program.observe_seats(self._memory, self.n, games, seats, records)
        return records.view(np.int8).reshape(len(games), self.game.observation.itemsize)

    def observe_one(self, i: int, seat: int) -> np.ndarray:
        """(O,) int8: what ``seat`` knows of game ``i``.

        Raises:
            ConfigurationError: there is no such game or seat.
        """
        if type(i) is not int or type(seat) is not int or not (0 <= i < self.n and 0 <= seat < self.players.item(i)):
            i = checked_index("i", i, self.n)
            seat = checked_index("seat", seat, self.players.item(i))
        self.program.observe_one(self._memory, self.n, i, seat)
        return self._scratch_observation.copy()

    def scores(self) -> np.ndarray:
        """(n, P) int32: the game's own points by seat, in the present games: with automatic reset, the new ones."""
        return results_of(self.program, self.states)[0]

    def winners(self) -> np.ndarray:
        """(n, P) int8: 1 for every seat that has won a game that is over; with automatic reset none is over, and
        results are in ``rewards``."""
        return results_of(self.program, self.states)[1] * (self.actors == TERMINAL)[:, None]

    def refresh(self) -> None:
        """Write actors, observations and masks anew, after ``states`` were changed from outside."""
        self._run(self.program.refresh)

    def explain(self, i: int, action: Any) -> str:
        """Why ``action`` cannot be taken in game ``i``, and which ones can, in words."""
        i = checked_index("i", i, self.n)
        seat = int(self.actors[i])
        if seat < 0:
            return f"action {shown(action)} comes after the game is over: reset first."
        return not_legal(f"player_{seat}", action, self.game.actions, self.masks[i])

    def _run(self, kernel: Any, *arguments: Any) -> None:
        if self.n < 2 * GAMES_PER_SCRATCH:  # another thread would not pay off
            kernel(self._memory, self.n, 0, self.n, *arguments)
            return
        parts = min(self.threads or available_cores(), self.n // GAMES_PER_SCRATCH)
        edges = [self.n * part // parts for part in range(parts + 1)]
        pool = _workers()
        tasks = [
            pool.submit(kernel, self._memory, self.n, start, stop, *arguments)
            for start, stop in itertools.pairwise(edges[1:])
        ]
        try:
            kernel(self._memory, self.n, edges[0], edges[1], *arguments)
            for task in tasks:
                task.result()
        finally:
            concurrent.futures.wait(tasks)  # after Ctrl-C, too: they write into memory that may be freed

    def get_state(self) -> bytes:
        """Everything but the configurations' Python form, as bytes: games, random streams and arrays."""
        return self._arena.tobytes()

    def set_state(self, state: bytes) -> None:
        """Restore what :meth:`get_state` returned for a batch of the same game, configurations and size.

        Whatever the bytes, no rule reads out of bounds; a game that is recognisably impossible is refused
        (``rat_envs.engine.states``).

        Raises:
            CheckpointError: it is not such a state; nothing has changed.
        """
        if not isinstance(state, (bytes, bytearray, memoryview)):
            raise CheckpointError(f"A saved state must be bytes, not {type(state).__name__}.")
        new = np.frombuffer(state, np.uint8)
        if new.nbytes != self._arena.nbytes:
            raise CheckpointError(
                f"A saved state of {new.nbytes} bytes does not fit this batch of {self._arena.nbytes} bytes."
            )
        arrays = self.program.arrays(new, self.n)
        demand_possible(self.program, arrays["ROWS"], self.states["config"])
        demand_outcomes(self.game, arrays["REWARDS"].view(np.float32), arrays["DONES"].view(np.int8))
        before = self._arena.copy()
        self._arena[:] = new
        self.refresh()  # what follows from the rows is not taken from the bytes
        if (self.masks.any(axis=1) != (self.actors >= 0)).any() or (self.actors >= self.players).any():
            self._arena[:] = before
            raise CheckpointError(f"The saved state of {self.game.title} is damaged: whoever is to act has no action.")

    def __getstate__(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "n": self.n,
            "auto_reset": self.auto_reset,
            "threads": self.threads,
            "compiled": self.program.compiled,
            "configurations": self.configurations,
            "arena": self._arena.copy(),
        }

    def __deepcopy__(self, memo: dict[int, Any]) -> Batch:
        twin = memo[id(self)] = object.__new__(type(self))
        twin.__setstate__(self.__getstate__())  # configurations never change
        return twin

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.game = state["game"]
        self.n = state["n"]
        self.auto_reset = state["auto_reset"]
        self.threads = state["threads"]
        self.program = program(self.game, state["compiled"])
        self.configurations = state["configurations"]
        self.players = np.array([configuration.players for configuration in self.configurations], np.int32)
        self._seeded = True
        self._attach(state["arena"])
