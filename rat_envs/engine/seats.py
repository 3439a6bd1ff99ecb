"""Seats round the table, places in a list and shares of the win: helpers for the rules of many games."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rat_envs.engine.compile import out_of_line

__all__ = ["least_return", "observed_place_of", "places_in", "seats_between", "share_out"]


def share_out(out, players):
    """Turn ``out``, which holds 1 for every seat that has won and 0 for the others, into returns.

    Each seat gets its share of the win minus an equal share, scaled so that a sole winner has +1 and all returns add up
    to 0. If nobody has won, all have 0.
    """
    winning = 0
    for seat in range(players):
        if out[seat] > 0:
            winning += 1
    if winning > 0:
        for seat in range(players):
            share = 1.0 / winning if out[seat] > 0 else 0.0
            out[seat] = (share - 1.0 / players) * players / (players - 1)


def least_return(players: int) -> float:
    """The return of a seat that loses to a sole winner, by :func:`share_out`; no seat has more than 1."""
    return -1 / (players - 1)


def seats_between(seat, other, players):
    """How many seats ``other`` sits clockwise from ``seat``, among ``players``: its place as that seat sees it."""
    place = other - seat
    return place if place >= 0 else place + players


def places_in(numbers: Sequence[int], length: int) -> np.ndarray:
    """(length) int8: where each number below ``length`` stands in ``numbers``; -1 if it does not."""
    places = np.full(length, -1, np.int8)
    places[list(numbers)] = np.arange(len(numbers))
    return places


@out_of_line
def observed_place_of(observation, number):
    """The place of player ``number``: actions name players by their numbers, observations count from the observer.

    The observation has ``seat``, the observer's number, and ``players``, how many there are from two, both one-hot.
    """
    own = 0
    players = 2
    for seat in range(len(observation.seat)):
        if observation.seat[seat]:
            own = seat
    for count in range(len(observation.players)):
        if observation.players[count]:
            players = count + 2
    return seats_between(own, number, players)
