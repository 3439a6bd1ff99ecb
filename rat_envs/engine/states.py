"""States that come from outside as bytes: whether a game can be there, before any rule touches them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from rat_envs.engine.errors import CheckpointError, ConfigurationError, shown
from rat_envs.engine.game import Game
from rat_envs.engine.program import Program

__all__ = ["demand_outcomes", "demand_possible", "demand_row"]


def demand_row(game: Game, state: Any, configuration: Any) -> None:
    """Refuse what is no row of a game with this configuration.

    Args:
        state: anything.
        configuration: the record of the configuration in a row.

    Raises:
        ConfigurationError: it is none.
    """
    if getattr(state, "dtype", None) != game.state or np.ndim(state) != 0:
        raise ConfigurationError(f"state={shown(state)}: must be a record of {game.title}, as Position.state.")
    if state["config"].tobytes() != configuration.tobytes():
        raise ConfigurationError("state: is of another configuration.")


def demand_possible(program: Program, rows: np.ndarray, configurations: np.ndarray) -> None:
    """Refuse rows that no game can be at when a seat acts or the game is over.

    Args:
        program: of their game.
        rows: (n) records of the game's ``STATE`` with any contents.
        configurations: (n) records of the configurations that they must hold.

    Raises:
        CheckpointError: one cannot be; the sentence names the game's number and, where it is one field, the field.
    """
    game = program.game
    if rows["config"].tobytes() != configurations.tobytes():
        raise CheckpointError(f"The saved state of {game.title} is damaged, or of another configuration.")
    for numbers, least, most in zip(_by_kind(game, rows), *_limits(game), strict=True):
        wrong = (numbers < least) | (numbers > most)
        if wrong.any():
            raise CheckpointError(f"The saved state of {game.title} is damaged: {_named(game, rows)}.")
    if not rows.flags.writeable:  # which would be compiled for once more
        rows = rows.copy()
    impossible = program.first_impossible(rows)
    if impossible >= 0:
        raise CheckpointError(
            f"The saved state of {game.title} is damaged: game {impossible} is at what its rules never lead to."
        )


def demand_outcomes(game: Game, rewards: np.ndarray, dones: np.ndarray) -> None:
    """Refuse results that no step has.

    Args:
        game: whose they are.
        rewards: float32 of any shape.
        dones: int8 of any shape.

    Raises:
        CheckpointError: a reward is not from −1 to 1, or an entry of ``dones`` neither 0 nor 1.
    """
    if not (np.abs(rewards) <= 1).all() or ((dones != 0) & (dones != 1)).any():
        raise CheckpointError(f"The saved state of {game.title} is damaged: its rewards or its dones cannot be.")


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
    """(n, k) numbers of the rows for every type of field but the configuration: at once, which is much faster."""
    raw = np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), -1)
    return [np.ascontiguousarray(raw[:, places]).view(kind) for kind, places, _, _ in _outline(game)]


def _limits(game: Game) -> tuple[list[np.ndarray], list[np.ndarray]]:
    outline = _outline(game)
    return [least for _, _, least, _ in outline], [most for _, _, _, most in outline]


@functools.cache
def _outline(game: Game) -> list[tuple[np.dtype, np.ndarray, np.ndarray, np.ndarray]]:
    """By type: the places of its bytes in a row, and the least and the most of each number."""
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
