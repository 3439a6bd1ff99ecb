"""The stage of a game, as an observation shows it (RC-10)."""

from __future__ import annotations

from typing import Any

from rat_envs.engine.seen import number_of_seats
from rat_envs.games.rattus_cartus.components import (
    CHOOSING,
    DEALING,
    ENTERING,
    FIRST_HAND,
    OPENING,
    RESOLVING,
    REVEALING,
    SUPPLYING,
)
from rat_envs.games.rattus_cartus.tables import BUILDING_CARDS, ROUNDS, ROW

NUMBER_IN_USE = len(BUILDING_CARDS) // 2


def stage_of(seen: Any) -> int:
    """RC-10: the stage, as far as everybody can tell."""
    players = number_of_seats(seen)
    row = seen["row"][: ROW[players]]
    if seen["in_use"].sum() < NUMBER_IN_USE:
        return CHOOSING
    if seen["rounds_played"] == ROUNDS[players]:
        return REVEALING
    if not row.any() and not seen["rounds_played"] and seen["cards_held"].sum() < FIRST_HAND * players:
        return DEALING
    if not row.any(axis=1).all() or (row == row[0]).all():
        return OPENING
    if seen["resolved"].any():
        return RESOLVING
    if seen["place_in_queue"].any() or seen["order_of_entry"].any():
        return ENTERING
    return SUPPLYING
