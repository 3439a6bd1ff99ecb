"""What every game is held to: that it keeps the contract, whatever is played."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rat_envs.api.aec import RatAECEnv
from rat_envs.engine.batch import Batch
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ContractError, LeakError, RatEnvsError
from rat_envs.engine.game import CHANCE, TERMINAL, Game
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.records import Recorder, replay
from rat_envs.engine.registry import all_games, get_game, register, unregister
from rat_envs.testing.leaks import leak_test

__all__ = ["check_game"]

#: A game that goes on for so many nodes is said not to end.
LONGEST_GAME = 100_000
#: Games and steps of the comparison of compiled and interpreted code.
GAMES, STEPS = 16, 200

Config = Mapping[str, Any] | Configuration | None


def check_game(
    game: str | Game, configs: Sequence[Config] = (None,), games: int = 20, positions: int = 200, seed: int = 0
) -> None:
    """Hold a game to all that the engine asks of it, in games of random play.

    - What is declared fits together: notes, texts, dtypes, presets.
    - At every node the actor is a seat, chance or nobody; somebody can do something; nothing but the row is written;
      every action of the mask can be applied; what is fixed in an observation stays as it is.
    - Games end, with returns from −1 to 1 that add up to 0.
    - Records can be replayed, compiled and interpreted code do the same, and a batch does what its games do alone.
    - A seat sees nothing of what is replaced by ``determinize``; where something is hidden,
      :func:`~rat_envs.testing.leaks.leak_test` finds nothing.

    Args:
        game: a registered name or a :class:`~rat_envs.engine.game.Game`.
        configs: the options to play with; all of them should occur.
        games: how many are walked node by node, for each of ``configs``.
        positions: how many the leak test looks at, for each of ``configs``.
        seed: of everything.

    Raises:
        ContractError: one sentence: which function of the game does what, and what it should do.
        LeakError: a seat is shown what it cannot know.
    """
    game = get_game(game)
    check_declaration(game)
    with known(game):
        for config in configs:
            configuration = game.configuration.make(config)
            for number in range(games):
                _Walk(game, configuration, seed + number).walk()
            check_compiled(game, configuration, seed)
            check_batch(game, configuration, seed)
            leak_test(RatAECEnv(game, configuration), positions, seed)


def demand(holds: Any, sentence: str) -> None:
    """Raise ContractError with a sentence unless something holds."""
    if not holds:
        raise ContractError(sentence)


@contextlib.contextmanager
def named(what: str) -> Iterator[None]:
    """Say which function of the game has raised an error, for it must raise none."""
    try:
        yield
    except (ContractError, LeakError):
        raise
    except Exception as error:
        raise ContractError(f"{what} raises {type(error).__name__} ({error}): it must raise nothing.") from error


@contextlib.contextmanager
def known(game: Game) -> Iterator[None]:
    """Have a game registered for the moment, if it is not."""
    if game.name in all_games():
        yield
        return
    register(game)
    try:
        yield
    finally:
        unregister(game.name)


def check_declaration(game: Game) -> None:
    """Names, texts and presets."""
    fields = game.observation.names or ()
    missing = [name for name in fields if game.observation_notes and name not in game.observation_notes]
    demand(not missing, f"observation_notes of {game.name} lack {', '.join(missing)}: say what each field holds.")
    for name, texts in (("actions", game.actions), ("outcomes", game.outcomes)):
        twice = sorted({text for text in texts if texts.count(text) > 1})
        demand(not twice, f"{game.name}.{name} has {', '.join(twice)} twice: every text must be unique.")
    for preset in game.presets:
        try:
            preset.position(game)
        except RatEnvsError as error:
            raise ContractError(f"The preset {preset.name} of {game.name} cannot be played: {error}") from error


class _Walk:
    """One game of random play, looked at node by node, interpreted."""

    def __init__(self, game: Game, configuration: Configuration, seed: int) -> None:
        self.game, self.configuration, self.seed = game, configuration, seed
        self.players = configuration.players
        with named("setup"):
            self.position = Position(game, configuration, compiled=False)
        self.stream = new_stream(game, seed, compiled=False)
        self.recorder = Recorder(self.position)
        self.fixed: bytes | None = None

    def walk(self) -> None:
        """To the end, and once more from the record."""
        for _ in range(LONGEST_GAME):
            actor = self._actor()
            if actor == TERMINAL:
                break
            if actor == CHANCE:
                self._check_chance()
            else:
                self._check_decision(actor)
            action = self.position.sample(self.stream)
            with named("apply"):
                self.recorder.apply(action)
        demand(self._actor() == TERMINAL, f"A game of {self.game.name} does not end in {LONGEST_GAME:,} nodes.")
        self._check_end()
        with named("Replaying its record"):
            replay(self.recorder.record())

    def _actor(self) -> int:
        actor = self._pure("actor", lambda row: int(self.position.program.actor(row)))
        right = actor in (CHANCE, TERMINAL) or 0 <= actor < self.players
        demand(right, f"actor returns {actor}: it must be a seat below {self.players}, CHANCE or TERMINAL.")
        return actor

    def _pure(self, what: str, function: Callable[[Any], Any]) -> Any:
        """What a function says of the row, which it must leave as it is."""
        before = self.position.row.tobytes()
        with named(what):
            result = function(self.position.row)
        demand(self.position.row.tobytes() == before, f"{what} changes the row: only setup and apply may.")
        return result

    def _check_chance(self) -> None:
        weights = self._pure("chance", lambda row: self.position.weights())
        demand((weights >= 0).all(), "chance writes a negative weight: weights are whole numbers from 0.")
        total = int(weights.sum(dtype=np.int64))
        demand(0 < total < 2**31, f"chance writes weights that add up to {total}: at least one outcome, below 2^31.")

    def _check_decision(self, actor: int) -> None:
        mask = self._pure("legal", lambda row: self.position.mask())
        demand(np.isin(mask, (0, 1)).all(), "legal writes something else than 1 into the mask.")
        demand(mask.any(), f"legal allows player_{actor} nothing, though it is to act.")
        for action in np.flatnonzero(mask):
            copy = self.position.copy()
            with named(f"apply of the legal action {self.game.actions[action]!r}"):
                copy.apply(int(action))
            same = copy.row["config"].tobytes() == self.position.row["config"].tobytes()
            demand(same, f"apply of {self.game.actions[action]!r} changes the configuration in the row.")
        for seat in range(self.players):
            self._check_observation(seat)
            self._check_determinize(seat)

    def _check_observation(self, seat: int) -> None:
        start = self.game.bytes_before_fixed
        seen = self._pure("observe", lambda row: self.position.observe(seat)).tobytes()
        demand(self.position.observe(seat).tobytes() == seen, "observe shows a seat two different things at one node.")
        self.fixed = seen[start:] if self.fixed is None else self.fixed
        same = seen[start:] == self.fixed
        demand(
            same,
            f"Fields from {self.game.fixed_from} on differ between seats or nodes: observe may not write them.",
        )

    def _check_determinize(self, seat: int) -> None:
        copy = self.position.copy()
        with named("determinize"):
            copy.determinize(seat, new_stream(self.game, self.seed, compiled=False))
        same = copy.observe(seat).tobytes() == self.position.observe(seat).tobytes()
        demand(
            same, f"determinize changes what player_{seat} observes: it may replace only what that seat cannot know."
        )
        if self.position.actor == seat:
            same = copy.actor == seat and copy.mask().tobytes() == self.position.mask().tobytes()
            demand(same, f"determinize changes what player_{seat} may do: the mask must stay as it is.")

    def _check_end(self) -> None:
        returns = self._pure("returns", lambda row: self.position.returns())
        demand(max(map(abs, returns)) <= 1, f"returns gives {returns}: a return must be from -1 to 1.")
        demand(abs(sum(returns)) < 1e-6, f"returns gives {returns}: they must add up to 0.")
        self._pure("scores", lambda row: self.position.scores())
        winners = self._pure("winners", lambda row: self.position.winners())
        demand(all(seat < self.players for seat in winners), f"winners names seats {winners} of {self.players}.")


def check_compiled(game: Game, configuration: Configuration, seed: int) -> None:
    """Compiled and interpreted code do the same, byte for byte."""
    with named("Compiling"):
        compiled = Batch(game, GAMES, configuration, seed)
    interpreted = Batch(game, GAMES, configuration, seed, compiled=False)
    for step in range(STEPS):
        names = [
            name
            for name in ("rows", "observations", "masks", "actors", "rewards", "dones")
            if getattr(compiled, name).tobytes() != getattr(interpreted, name).tobytes()
        ]
        demand(not names, f"After {step} steps {' and '.join(names)} differ between compiled and interpreted code.")
        compiled.step_random()
        interpreted.step_random()


def check_batch(game: Game, configuration: Configuration, seed: int) -> None:
    """A game in a batch is played as it is alone."""
    together = Batch(game, GAMES, configuration, seed)
    alone = [Batch(game, 1, configuration, seed + number) for number in range(GAMES)]
    for step in range(STEPS):
        for number, single in enumerate(alone):
            same = single.rows[0].tobytes() == together.rows[number].tobytes()
            demand(same, f"After {step} steps game {number} of a batch differs from the same game alone.")
            single.step_random()
        together.step_random()
