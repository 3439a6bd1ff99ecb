"""Handling actions that the mask forbids: an error, a legal action in its place, or a lost game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rat_envs.engine.checks import whole_number
from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.engine.seats import share_out

__all__ = ["ILLEGAL_CHOICES", "demand_illegal", "refused", "returns_of_losers"]

#: ``raise`` an IllegalActionError; take a ``random`` legal action in its place; or let its player ``lose``.
ILLEGAL_CHOICES = ("raise", "random", "lose")


def demand_illegal(illegal: str) -> str:
    """``illegal``, if it is one of ``ILLEGAL_CHOICES``.

    Raises:
        ConfigurationError: it is not one of them.
    """
    if not isinstance(illegal, str) or illegal not in ILLEGAL_CHOICES:
        raise ConfigurationError(f"illegal={shown(illegal)}: must be one of {', '.join(ILLEGAL_CHOICES)}.")
    return illegal


def refused(action: Any, sentence: str) -> str:
    """Why an action cannot be taken: the sentence that says so, after what is wrong if it is not a whole number.

    For ``array([3])`` or ``3.0`` the sentence alone would say that 3 is legal.
    """
    if whole_number(action) is not None:
        return sentence
    shape = getattr(action, "shape", None)
    kind = type(action).__name__ + (f" of shape {shape}" if isinstance(shape, tuple) and shape else "")
    return f"An action must be a whole number, and this is of type {kind}: {sentence}"


def returns_of_losers(players: int, losers: Sequence[int]) -> np.ndarray:
    """(P,) float32: the returns of a game that these seats lose and all others win together; 0 if there are none."""
    out = np.ones(players, np.float32)
    out[list(losers)] = 0
    share_out(out, players)
    return out
