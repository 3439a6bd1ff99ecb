"""Checks for every game: it keeps the contract, whatever is played."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rat_envs.api.aec import RatAECEnv
from rat_envs.api.named_agents import AGENTS
from rat_envs.engine.batch import Batch
from rat_envs.engine.compile import compiling
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import CheckpointError, ContractError, RatEnvsError, reason_of
from rat_envs.engine.game import Game
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.records import replay
from rat_envs.engine.registry import all_games, get_game, register, unregister
from rat_envs.engine.states import demand_possible
from rat_envs.testing.agents import check_agent
from rat_envs.testing.demanding import demand, named
from rat_envs.testing.leaks import leak_test
from rat_envs.testing.shown import check_shown
from rat_envs.testing.walks import Walk, other_seed

__all__ = ["check_game"]

#: The numbers of games and steps in which a batch is compared with single games, and what is compared.
GAMES, STEPS = 16, 200
ARRAYS = ("states", "observations", "masks", "actors", "rewards", "dones")
#: The number of positions that are shown to each heuristic.
POSITIONS_OF_HEURISTICS = 32

Config = Mapping[str, Any] | Configuration | None


def check_game(
    game: str | Game,
    configs: Sequence[Config] = (None,),
    games: int = 20,
    positions: int = 200,
    seed: int = 0,
    hidden_state: Callable[[Any], bytes] | None = None,
) -> None:
    """Check everything that the engine requires of a game, in games of random play.

    - Its presets can be played; its heuristics take legal actions; its settings for learners exist.
    - At every node the actor is a seat, chance or nobody; there is something to do; nothing but the row is written;
      every action of the mask can be applied; the fixed part of an observation stays the same.
    - A person is offered exactly the legal actions; texts and drawings are of the right kind.
    - Games end, with returns from −1 to 1 that add up to 0.
    - If ``hidden_information`` says that only simultaneous choices are hidden, nothing else is.
    - Compiled code does the same as interpreted code, records can be replayed, and a batch does the same as single
      games.
    - A saved state is accepted at every node, also after ``determinize`` has replaced what is hidden.
    - A seat cannot see what ``determinize`` replaces, and the replacement depends only on what it sees;
      :func:`~rat_envs.testing.leaks.leak_test` finds nothing.

    Args:
        game: a registered name or a :class:`~rat_envs.engine.game.Game`.
        configs: the options to play with; together they should cover all options.
        games: the number of games that are walked node by node, for each of ``configs``.
        positions: the number of positions that the leak test looks at, for each of ``configs``.
        seed: seed of everything.
        hidden_state: as for :func:`~rat_envs.testing.leaks.leak_test`: returns the state without the parts that
            ``determinize`` does not sample, such as notes of what seats know.

    Raises:
        ContractError: the game breaks a rule; the message gives the place, the function, what it does, and what it
            should do.
        LeakError: a seat is shown what it cannot know, or ``determinize`` does not sample fairly.
    """
    game = get_game(game)
    check_heuristics(game)
    check_presets(game)
    with known(game):
        check_training(game)
        for number, config in enumerate(configs):
            configuration = game.configuration.make(config)
            with within(f"configs[{number}]"):
                check_walks(game, configuration, games, seed)
                check_batch(game, configuration, seed)
                check_states(game, configuration, seed)
                check_shown(game, configuration, seed)
                for name in game.heuristics:
                    with within(f"heuristic {name!r}"):
                        check_agent(name, game, configuration, POSITIONS_OF_HEURISTICS, seed)
            leak_test(RatAECEnv(game, configuration), positions, seed, hidden_state=hidden_state)


@contextlib.contextmanager
def within(place: str) -> Iterator[None]:
    """Add the place to an error."""
    try:
        yield
    except ContractError as error:
        raise ContractError(f"{place}, {error}") from error.__cause__


@contextlib.contextmanager
def known(game: Game) -> Iterator[None]:
    """Register a game temporarily, if it is not registered.

    Raises:
        ContractError: another game has its name.
    """
    namesake = all_games().get(game.name, game)
    demand(namesake is game, f"The name {game.name!r} is that of another game, {namesake.title}: a name is unique.")
    if game.name in all_games():
        yield
        return
    register(game)
    try:
        yield
    finally:
        unregister(game.name)


def check_heuristics(game: Game) -> None:
    """Check that no heuristic has the name of an agent that every game has."""
    taken = [name for name in game.heuristics if name in AGENTS]
    demand(not taken, f"The heuristic {''.join(taken[:1])!r} would never play: every game has an agent of that name.")


def check_presets(game: Game) -> None:
    """Check that presets can be played; everything else in them was checked when the :class:`Game` was made."""
    for preset in game.presets:
        try:
            preset.position(game, compiled=False)
        except Exception as error:
            reason = str(error) if isinstance(error, RatEnvsError) else f"{type(error).__name__}: {reason_of(error)}"
            raise ContractError(f"The preset {preset.name} of {game.name} cannot be played: {reason}") from error


def check_training(game: Game) -> None:
    """Check that its settings are options of the learners, if these are installed."""
    if not game.training:
        return
    try:
        from rat_envs.training.recommended import recommended_options
    except ImportError:
        return
    for learner in game.training:
        try:
            recommended_options(learner, game.name)
        except RatEnvsError as error:
            raise ContractError(f"training of {game.name} cannot be used for {learner!r}: {error}") from error


def check_walks(game: Game, configuration: Configuration, games: int, seed: int) -> None:
    """Walk games node by node interpreted, and again compiled; then once more from the records."""
    for number in range(seed, seed + games):
        with within(f"game of seed {number}"):
            walk = Walk(game, configuration, number, compiled=False)
            interpreted = list(walk.walk())
            compare(interpreted, Walk(game, configuration, number, compiled=compiling()).walk())
            check_record(walk)


def check_record(walk: Walk) -> None:
    """Play a game again from its record, and check every node again."""

    def look(position: Position, step: Mapping[str, Any]) -> None:
        for seat in range(walk.players):
            check_resample(position, seat, walk.seed)

    with named("playing the record again"):
        again = replay(walk.recorder.record(), look)
    same = again.state.tobytes() == walk.position.state.tobytes()
    demand(same, "playing the record again leads to another row: to_dict of the configuration must hold all options.")


def check_resample(position: Position, seat: int, seed: int) -> None:
    """Check that what a seat cannot know does not affect its replacement."""
    once, rows = position.copy(), []
    once.determinize(seat, new_stream(position.game, other_seed(seed)))
    for each in (position.copy(), once):
        each.determinize(seat, new_stream(position.game, other_seed(seed + 1)))
        rows.append(each.state.tobytes())
    demand(
        rows[0] == rows[1],
        f"determinize for player_{seat} depends on what that seat cannot know: rows that look alike to it must "
        "come out alike from equal random numbers.",
    )


def compare(interpreted: list[tuple[str, int]], compiled: Iterator[tuple[str, int]]) -> None:
    """Check that compiled code gives the same answers as interpreted code."""
    for (what, answer), (_, other) in zip(interpreted, compiled, strict=True):
        same = answer == other
        demand(same, f"{what} does something else when compiled: it may depend on nothing but its arguments.")


def check_batch(game: Game, configuration: Configuration, seed: int) -> None:
    """Check that a game in a batch is the same as a single game."""
    together = Batch(game, GAMES, configuration, seed)
    alone = [Batch(game, 1, configuration, seed + number) for number in range(GAMES)]
    for step in range(STEPS):
        for number, single in enumerate(alone):
            names = [
                name
                for name in ARRAYS
                if getattr(single, name)[0].tobytes() != getattr(together, name)[number].tobytes()
            ]
            demand(
                not names,
                f"after {step} steps {' and '.join(names)} of game {number} of a batch differ from those of the same "
                "game alone: no rule may keep anything outside the state.",
            )
            single.step_random()
        together.step_random()


def check_states(game: Game, configuration: Configuration, seed: int) -> None:
    """Check that ``ranges`` and ``possible`` accept every state of a game, and its replacements."""
    batch = Batch(game, GAMES, configuration, seed)
    stream = new_stream(game, seed)
    for step in range(STEPS):
        rows = batch.states.copy()
        for seat in range(-1, configuration.players):
            if seat >= 0:
                batch.program.determinize_rows(rows, np.full(len(rows), seat, np.int32), stream)
            with named("possible"):
                try:
                    demand_possible(batch.program, rows, batch.states["config"])
                except CheckpointError as error:
                    after = "" if seat < 0 else f" and determinize for player_{seat}"
                    refused = f"after {step} steps{after}, ranges or possible refuse the row: {error}"
                    raise ContractError(refused) from error
        batch.step_random()
