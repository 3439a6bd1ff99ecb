"""The checks of a game's declaration: the first fault is named in one sentence."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator, Sequence
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING

import numpy as np

from rat_envs.engine import contract
from rat_envs.engine.configuration import Configuration, Integer, Option
from rat_envs.engine.presets import Preset
from rat_envs.engine.wording import number_of

if TYPE_CHECKING:
    from rat_envs.engine.game import Game

__all__ = ["TAKEN_NAMES", "complaints", "is_plain"]

#: The most actions, or outcomes, of a game: steps are kept in 16 bits.
MOST_TEXTS = 32_767
#: The arguments of every heuristic.
HEURISTIC = inspect.signature(lambda observation, mask: None)
#: Names of arguments that make an environment, which no option can have.
TAKEN_NAMES = frozenset(["flat", "game", "illegal", "num_envs", "opponent", "point_of_view", "render_mode", "seat"])


def complaints(game: Game) -> Iterator[str]:
    """The faults of a declaration, in sentences that follow the game's name; nothing if all is well."""
    if not (game.name.isidentifier() and game.name == game.name.lower()):
        yield "is not a name: a name is a Python identifier in small letters, such as kuhn_poker"
    if not (type(game.version) is int and game.version >= 0):
        yield f"has version={game.version!r}: it must be a whole number from 0"
    wrong_configuration = list(of_configuration(game))
    yield from wrong_configuration
    if not wrong_configuration:
        yield from of_seats(game)
    wrong_records = list(of_records(game))
    yield from wrong_records
    if not wrong_records:
        yield from of_state(game)
        yield from of_observation(game)
    yield from of_actions(game)
    if isinstance(game.rules, ModuleType):
        yield "has a module for its rules: write Rules.of(module)"
    else:
        yield from of_rules(game)
        yield from of_extras(game)


def of_configuration(game: Game) -> Iterator[str]:
    """The options must be declared, with the number of players and what is hidden."""
    kind = game.configuration
    if not (isinstance(kind, type) and issubclass(kind, Configuration)):
        yield "has a configuration that is not a subclass of Configuration"
        return
    for name in ("players", "hidden_information"):
        if getattr(kind, name, None) is getattr(Configuration, name):
            yield f"has a configuration without {name!r}: {kind.__name__} has to say it"
    if not isinstance(inspect.getattr_static(kind, "hidden_information"), FunctionType):
        yield "has a configuration whose hidden_information is not a method: write def hidden_information(self)"
    if any(isinstance(value, dataclasses.Field) for each in kind.__mro__ for value in vars(each).values()):
        yield f"has options that are not read: write @dataclass(frozen=True) above class {kind.__name__}"
        return
    names = [field.name for field in dataclasses.fields(kind)]
    yield from (
        f"has an option {name!r}: what makes an environment has that name" for name in names if name in TAKEN_NAMES
    )
    for name, option in kind.options().items():
        lacks = [each for each in ("values", "check", "encode") if getattr(type(option), each) is getattr(Option, each)]
        if lacks:
            yield f"has an option {name!r} whose class {type(option).__name__} has no method {lacks[0]!r}"


def of_seats(game: Game) -> Iterator[str]:
    """There must be seats for all who can play."""
    players = game.configuration.options().get("players")
    bounds = (players.low, players.high) if isinstance(players, Integer) else None
    fewest, most = bounds or [game.configuration.make(None).players] * 2
    if fewest < 2:
        yield f"can be played by {fewest}: a game has two players or more"
    if type(game.seats) is not int or game.seats < most:
        yield f"has seats={game.seats!r}, but {most} can play: it must be a whole number from {most}"


def of_records(game: Game) -> Iterator[str]:
    """State and observation must be dtypes whose records have attributes."""
    for what, dtype in (("a state", game.state), ("an observation", game.observation)):
        if not isinstance(dtype, np.dtype) or not dtype.names or not issubclass(dtype.type, np.record):
            yield f"has {what} that is not a structured dtype of records: write np.dtype((np.record, [fields]))"
            continue
        if dtype.hasobject:
            yield f"has {what} that holds objects: its fields must be numbers"
            continue
        taken = [name for name in dtype.names if hasattr(np.record, name)]
        if taken:
            yield f"has a field {taken[0]!r}: every record of numpy has that name already"


def of_state(game: Game) -> Iterator[str]:
    """A row must begin with its configuration, and ranges and knowledge name fields of it."""
    assert game.state.names is not None
    first = game.state.names[0]
    if first != "config":
        yield f"has a state whose first field is {first!r}: it must be 'config', the dtype() of the configuration"
    elif game.state["config"] != game.configuration.dtype():
        yield f"has a state whose field 'config' is not {game.configuration.__name__}.dtype()"
    if game.ranges:
        for name, limits in game.ranges.items():
            if not isinstance(limits, tuple | list) or len(limits) != 2:
                yield f"has the range {limits!r} for {name!r}: it must be the least and the most, such as (0, 3)"
        others = game.state.names[1:]
        yield from (f"has no range for the field {name!r} of its state" for name in others if name not in game.ranges)
        strays = [name for name in game.ranges if name not in others]
        yield from (f"has a range for {name!r}, which is not a field of its state" for name in strays)
    if not isinstance(game.knowledge, tuple | list):
        yield f"has knowledge={game.knowledge!r}: it must be a tuple of fields of its state"
        return
    strays = [name for name in game.knowledge if name not in game.state.names]
    yield from (f"has knowledge of {name!r}, which is not a field of its state" for name in strays)


def of_observation(game: Game) -> Iterator[str]:
    """Fields must be int8, each or none must have a note, and those that stay the same must be last."""
    names = game.observation.names or ()
    for name in names:
        if game.observation[name].base != np.int8:
            yield f"has a field {name!r} of its observation that is {game.observation[name].base}: it must be int8"
    if game.fixed_from is not None and game.fixed_from not in names:
        yield f"has fixed_from={game.fixed_from!r}, which is not a field of its observation"
    if game.observation_notes:
        yield from (f"has no note for the field {name!r}" for name in names if name not in game.observation_notes)
        strays = [name for name in game.observation_notes if name not in names]
        yield from (f"has a note for {name!r}, which is not a field of its observation" for name in strays)


def of_actions(game: Game) -> Iterator[str]:
    """Texts must differ, and actions that name players must be there for every player."""
    for what, texts in (("action", game.actions), ("outcome", game.outcomes)):
        if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
            yield f"has {what}s={texts!r}: they must be a tuple of texts"
            return
        if len(texts) > MOST_TEXTS:
            yield f"has {len(texts):,} {what}s: a game has at most {MOST_TEXTS:,}"
            return
        yield from (f"has the {what} {text!r} more than once" for text in repeated(texts))
    if not game.actions:
        yield "has no actions"
    if not isinstance(game.seat_actions, tuple | list):
        yield f"has seat_actions={game.seat_actions!r}: they must be a tuple of whole numbers, such as (3,)"
        return
    for first in game.seat_actions:
        texts = game.actions[max(first, 0) : max(first, 0) + game.seats]
        if len(texts) < game.seats or not all(f"player_{seat}" in text for seat, text in enumerate(texts)):
            yield (
                f"has seat_actions from {first}, but not {game.seats} actions from there that name player_0, player_1 "
                "and so on"
            )
            return
    in_blocks = {first + seat for first in game.seat_actions for seat in range(game.seats)}
    for number, text in enumerate(game.actions):
        if re.search(r"\bplayer_\d", text) and number not in in_blocks:
            yield f"has an action {text!r} that names a player and stands in no block of seat_actions"
            return


def of_rules(game: Game) -> Iterator[str]:
    """Rules must be plain functions, since they are compiled for every use."""
    for rule in dataclasses.fields(game.rules):
        function = getattr(game.rules, rule.name)
        if not isinstance(function, FunctionType):
            yield (
                f"has a rule {rule.name!r} that is a {type(function).__name__}: it must be a plain function, without "
                "decorators such as @njit"
            )
        elif function.__closure__:
            names = ", ".join(function.__code__.co_freevars)
            yield f"has a rule {rule.name!r} that uses {names} of the function around it: define it in a module"
        else:
            yield from wrong_arguments(
                function, f"a rule {rule.name!r}", inspect.signature(getattr(contract, rule.name))
            )


def of_extras(game: Game) -> Iterator[str]:
    """Optional parts may be left out, but must be complete if they are given."""
    if not (isinstance(game.presets, tuple | list) and all(isinstance(preset, Preset) for preset in game.presets)):
        yield f"has presets={game.presets!r}: they must be a tuple of presets, such as (Preset(...),)"
        return
    if bool(game.metrics) != (game.rules.tally is not contract.tally):
        yield "has metrics without a rule 'tally', or 'tally' without metrics: what is counted needs both"
    if (game.fixed_from is None) != (game.rules.observe_fixed is contract.observe_fixed):
        yield "has a rule 'observe_fixed' without fixed_from, or fixed_from without 'observe_fixed': it needs both"
    yield from (f"has the preset {name!r} more than once" for name in repeated([each.name for each in game.presets]))
    for name, function in game.heuristics.items():
        if not name.isidentifier() or not callable(function):
            yield f"has a heuristic {name!r} that is not a name with a function (observation, mask) -> action"
        elif isinstance(function, FunctionType):
            yield from wrong_arguments(function, f"a heuristic {name!r}", HEURISTIC)
    for name in ("text", "drawing"):
        if game.shows_everything and is_plain(game, name):
            yield f"has shows_everything without a {name!r} of its own that takes EVERYTHING"
    if game.ladder is not None and "greedy" not in game.heuristics:
        yield "is on the ladder without a heuristic 'greedy', which stands there above random play"


def is_plain(game: Game, name: str) -> bool:
    """Whether a text, a drawing or an offer is the one of games without their own; that of a copy is bound to it."""
    given = getattr(game, name)
    return getattr(type(game), name) in (given, getattr(given, "func", None))


def wrong_arguments(function: FunctionType, what: str, asked: inspect.Signature) -> Iterator[str]:
    """A complaint if a function does not take the arguments that it is given."""
    most = function.__code__.co_argcount
    if not most - len(function.__defaults__ or ()) <= len(asked.parameters) <= most:
        given = number_of(most, "argument")
        yield f"has {what} that takes {given}: it must take ({', '.join(asked.parameters)})"


def repeated(texts: Sequence[str]) -> list[str]:
    """The texts that occur more than once."""
    return sorted({text for number, text in enumerate(texts) if text in texts[:number]})
