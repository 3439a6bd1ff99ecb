"""Checks of states that come from outside as bytes: whether they are possible, before any rule touches them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from rat_envs.engine.errors import CheckpointError, ConfigurationError, shown
from rat_envs.engine.game import CHANCE, Game
from rat_envs.engine.program import Program, program

__all__ = ["demand_outcomes", "demand_possible", "demand_record", "demand_row"]

#: More chance nodes in a row than any game has.
MOST_CHANCES = 1000


def demand_record(game: Game, state: Any) -> None:
    """Refuse what is not a record of the game's ``STATE``.

    Raises:
        ConfigurationError: it is not one.
    """
    if getattr(state, "dtype", None) != game.state or np.ndim(state) != 0:
        raise ConfigurationError(f"state={shown(state)}: must be a record of {game.title}, as Position.state.")


def demand_row(game: Game, state: Any, configuration: Any = None) -> None:
    """Refuse a state that no game can be in: when a seat acts, at a chance node, or when it is over.

    Args:
        game: the game.
        state: anything.
        configuration: the record of the configuration that the row must hold; any, if not given.

    Raises:
        ConfigurationError: no game can be in it.
    """
    demand_record(game, state)
    if configuration is not None and state["config"].tobytes() != configuration.tobytes():
        raise ConfigurationError("state: is of another configuration.")
    if (reason := _why_impossible(game, state.tobytes())) is not None:
        raise ConfigurationError(f"state: no game of {game.title} can be there: {reason}.")


@functools.lru_cache(maxsize=64)
def _why_impossible(game: Game, content: bytes) -> str | None:
    """Why no game can have a row with these bytes, in words; None if one can."""
    rows = np.frombuffer(bytearray(content), game.state)
    reason = _why_no_decision(program(game), rows)
    if reason is None:
        return None
    try:
        return _why_not_after_chance(game, rows, reason)
    except (ArithmeticError, IndexError, ValueError) as error:
        return f"its rules fail there ({type(error).__name__})"


def _why_not_after_chance(game: Game, rows: np.ndarray, reason: str) -> str | None:
    """``reason``, unless the one row is at a chance node: then why no game can be where chance leads from there.

    Interpreted rules raise an error where compiled ones would read beyond an array.
    """
    rules, row, weights = program(game, compiled=False), rows[0], np.zeros(len(game.outcomes), np.int32)
    for number in range(MOST_CHANCES):
        if int(rules.actor(row)) != CHANCE:
            return _why_no_decision(program(game), rows) if number else reason
        weights[:] = 0
        rules.chance(row, weights)
        if (weights < 0).any() or not weights.any():
            return "nothing can happen there"
        rules.apply(row, int(weights.argmax()))
    return "chance does not end there"


def _why_no_decision(program: Program, rows: np.ndarray) -> str | None:
    """Why in one of the rows neither a seat can be to act nor the game be over; None if there is no such row."""
    if (reason := _out_of_range(program.game, rows)) is not None:
        return reason
    if not rows.flags.writeable:  # for which code would be compiled once more
        rows = rows.copy()
    impossible = program.first_impossible(rows)
    return None if impossible < 0 else f"game {impossible} is at what its rules never lead to"


def demand_possible(program: Program, rows: np.ndarray, configurations: np.ndarray) -> None:
    """Refuse rows that no game can have when a seat acts or the game is over.

    Args:
        program: of their game.
        rows: (n) records of the game's ``STATE`` with any contents.
        configurations: (n) records of the configurations that they must hold.

    Raises:
        CheckpointError: one is impossible; the sentence names the game's number and, if it is one field, the field.
    """
    game = program.game
    if rows["config"].tobytes() != configurations.tobytes():
        raise CheckpointError(f"The saved state of {game.title} is damaged, or of another configuration.")
    if (reason := _why_no_decision(program, rows)) is not None:
        raise CheckpointError(f"The saved state of {game.title} is damaged: {reason}.")


def demand_outcomes(game: Game, rewards: np.ndarray, dones: np.ndarray) -> None:
    """Refuse results that no step can have.

    Args:
        game: whose they are.
        rewards: float32 of any shape.
        dones: int8 of any shape.

    Raises:
        CheckpointError: a reward is not from −1 to 1, or an entry of ``dones`` neither 0 nor 1.
    """
    if not (np.abs(rewards) <= 1).all() or ((dones != 0) & (dones != 1)).any():
        raise CheckpointError(f"The saved state of {game.title} is damaged: its rewards or its dones cannot be.")


def _out_of_range(game: Game, rows: np.ndarray) -> str | None:
    """The first field of (n) rows that is out of its range, in words; None if there is none."""
    for numbers, least, most in zip(_by_kind(game, rows), *_limits(game), strict=True):
        if ((numbers < least) | (numbers > most)).any():
            return _named(game, rows)
    return None


def _named(game: Game, rows: np.ndarray) -> str:
    """The first field that is out of its range, in words."""
    for name, (least, most) in game.ranges.items():
        wrong = ((rows[name] < least) | (rows[name] > most)).reshape(len(rows), -1)
        if wrong.any():
            i, place = np.argwhere(wrong)[0]
            found = rows[name].reshape(len(rows), -1)[i, place]
            return f"in game {i} the field {name!r} holds {found}, and not {least} to {most}"
    raise AssertionError("no field is out of its range")


def _by_kind(game: Game, rows: np.ndarray) -> list[np.ndarray]:
    """(n, k) numbers of the rows for every type of field but the configuration: all at once, which is much faster."""
    raw = np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), -1)
    return [np.ascontiguousarray(raw[:, places]).view(kind) for kind, places, _, _ in _outline(game)]


def _limits(game: Game) -> tuple[list[np.ndarray], list[np.ndarray]]:
    outline = _outline(game)
    return [least for _, _, least, _ in outline], [most for _, _, _, most in outline]


@functools.cache
def _outline(game: Game) -> list[tuple[np.dtype, np.ndarray, np.ndarray, np.ndarray]]:
    """By type: the places of its bytes in a row, and the least and the greatest value of each number."""
    places_of: Any = game.state.fields
    fields = [(places_of[name], limits) for name, limits in game.ranges.items()]
    outline = []
    for kind in sorted({dtype.base for (dtype, *_), _ in fields}, key=str):
        ours = [(dtype, offset, limits) for (dtype, offset, *_), limits in fields if dtype.base == kind]
        places = np.concatenate([np.arange(offset, offset + dtype.itemsize) for dtype, offset, _ in ours])
        numbers = [dtype.itemsize // kind.itemsize for dtype, _, _ in ours]
        least, most = (np.repeat([limits[end] for _, _, limits in ours], numbers).astype(kind) for end in (0, 1))
        outline.append((kind, places, least, most))
    return outline
