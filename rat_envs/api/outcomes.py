"""How a game has ended, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rat_envs.engine.wording import listed

__all__ = ["points_in_words", "result_in_words"]


def result_in_words(winners: Sequence[int], seat: int | None = None, draws: bool = False) -> str:
    """How a game has ended for a seat, or for None a spectator.

    Args:
        winners: the seats that have won.
        seat: the seat that the words are for.
        draws: whether a game that nobody has won is a draw for its players, and not lost by all of them.
    """
    others = [f"player_{winner}" for winner in winners if winner != seat]
    if seat in winners:
        return f"You share the win with {listed(others)}." if others else "You win."
    if not winners:
        return "A draw." if draws and seat is not None else "Nobody wins."
    return f"{listed(others)} {'wins' if len(others) == 1 else 'share the win'}."


def points_in_words(points: Iterable[int]) -> str:
    """The game's own points, seat by seat."""
    return f"Points: {', '.join(f'player_{seat} {number}' for seat, number in enumerate(points))}."
