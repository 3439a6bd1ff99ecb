"""Automatic steps: from the move of the plague to the next turn, and from the last turn to the end."""

from __future__ import annotations

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.game import CHANCE, TERMINAL
from rat_envs.games.rattus.abilities import after_look, king_can_be_used
from rat_envs.games.rattus.components import (
    ASKING_KING,
    ASKING_KNIGHT,
    DRAW_LOTS,
    ENDING_TURN,
    FINAL,
    FINAL_ROUND,
    FLIP,
    FLIPPED,
    GO_ON,
    KING_LATE,
    LOOKED_AT,
    NONE,
    NOTHING_SEEN,
    OVER,
    RAVAGING,
    SPREADING,
)
from rat_envs.games.rattus.ending import ability_is_left, end_turn, pass_to_the_right
from rat_envs.games.rattus.plague import (
    ask_knight,
    ask_where_to_spread,
    can_ravage,
    can_spread,
    flip,
    knight_is_asked,
    resolve_token,
)
from rat_envs.games.rattus.tables import REGIONS


@out_of_line
def go_on(row):
    """Do everything automatic, up to the next node."""
    while row.phase == GO_ON:
        go_on_once(row)


def go_on_once(row):
    """One automatic step: first a token being seen, then what the stage calls for."""
    if row.seen_because == LOOKED_AT:
        row.seen_because = NOTHING_SEEN
        after_look(row)
    elif row.seen_because == FLIPPED:
        row.seen_because = NOTHING_SEEN
        resolve_token(row)
    elif row.stage <= ENDING_TURN:
        go_on_with_turn(row)
    elif row.stage == FINAL_ROUND:
        go_on_with_final_round(row)
    else:
        go_on_with_final_ravage(row)


def go_on_with_turn(row):
    """RT-15: spread, then ravage; RT-47: then the King, if he can be used."""
    if row.stage == SPREADING:
        if can_spread(row):
            ask_where_to_spread(row)
        else:
            row.spread_left = 0
            row.stage = ASKING_KNIGHT
    elif row.stage == ASKING_KNIGHT:
        row.stage = RAVAGING
        if knight_is_asked(row):
            ask_knight(row)
    elif row.stage == RAVAGING:
        if can_ravage(row, row.plague):
            flip_next(row, row.plague, FLIP, row.active)
        else:
            row.neutral = NONE
            row.stage = ASKING_KING
    elif row.stage == ASKING_KING:
        row.stage = ENDING_TURN
        if row.config.king_after_plague and king_can_be_used(row):
            row.phase = KING_LATE
            row.actor = row.active
    else:
        end_turn(row)


def go_on_with_final_round(row):
    """RT-61, RT-64: no node without a usable ability."""
    if ability_is_left(row):
        row.phase = FINAL
        row.actor = row.active
    else:
        pass_to_the_right(row)


def go_on_with_final_ravage(row):
    """RT-65: region by region, tokens by lot."""
    if row.region_ravaged == len(REGIONS):
        row.phase = OVER
        row.actor = TERMINAL
    elif can_ravage(row, row.region_ravaged):
        flip_next(row, row.region_ravaged, DRAW_LOTS, CHANCE)
    else:
        row.region_ravaged += 1


def flip_next(row, region, phase, chooser):
    """RT-25, RT-65: one of several tokens is chosen; a single one is flipped at once."""
    if row.rats[region] > 1:
        row.phase = phase
        row.actor = chooser
    else:
        flip(row, region, 0)
