"""Automatic steps, up to the next node."""

from __future__ import annotations

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.game import CHANCE, TERMINAL
from rat_envs.games.rattus_cartus.actions import ask_discard, ask_gift, ask_token, begin_action, next_giver
from rat_envs.games.rattus_cartus.buildings import begin_round, go_on_entering, go_on_opening, go_on_supplying
from rat_envs.games.rattus_cartus.cards import ask_draw, ask_look
from rat_envs.games.rattus_cartus.components import (
    CHOOSING,
    DEALING,
    ENTERING,
    GO_ON,
    NONE,
    NUN,
    OPENING,
    OVER,
    PLACES,
    RESOLVING,
    REVEALING,
    SUPPLYING,
    class_of,
    is_last_round,
    rounds,
    seat_after,
    seats,
    slots,
)
from rat_envs.games.rattus_cartus.ending import open_hands
from rat_envs.games.rattus_cartus.set_up import deal, go_on_choosing
from rat_envs.games.rattus_cartus.visits import (
    building,
    discard_laid,
    is_here,
    move_disc,
    premium_player,
    reveal,
    score_cards,
    use_flute,
    use_sword,
)

#: Steps of a building's resolution.
NEXT_BUILDING, SCORE, USE_SWORD, USE_FLUTE, ACT_FIRST, ACT_NEXT, CLEAR = range(7)


@out_of_line
def go_on(row):
    """Do everything automatic, up to the next node."""
    while row.phase == GO_ON:
        go_on_once(row)


def go_on_once(row):
    """One automatic step: first the smaller steps that are due, then what the stage calls for."""
    if row.draws_left > 0:
        ask_draw(row)
    elif row.looks_left > 0:
        ask_look(row)
    elif row.gives_left > 0:
        ask_gift(row)
    elif row.givers != 0:
        next_giver(row)
    elif row.discards_left > 0:
        ask_discard(row)
    elif row.tokens_due > 0:
        ask_token(row)
    else:
        go_on_with_stage(row)


def go_on_with_stage(row):
    """RC-10."""
    stage = row.stage
    if stage == RESOLVING:
        go_on_resolving(row)
    elif stage == ENTERING:
        go_on_entering(row)
    elif stage == SUPPLYING:
        go_on_supplying(row)
    elif stage == OPENING:
        go_on_opening(row)
    elif stage == DEALING:
        go_on_dealing(row)
    elif stage == CHOOSING:
        go_on_choosing(row)
    else:
        go_on_revealing(row)


def go_on_dealing(row):
    """RC-06."""
    if row.turns < seats(row):
        deal(row)
    else:
        begin_round(row)


def go_on_resolving(row):
    """RC-30, RC-31: the cards of each visitor by entry."""
    step = row.step
    if step == NEXT_BUILDING:
        begin_building(row)
    elif step >= ACT_FIRST:
        go_on_acting(row)
    elif row.visit == row.entries:
        end_visits(row)
    elif not is_here(row, row.entered[row.visit]):
        row.visit += 1
    elif step == SCORE:
        row.step = USE_SWORD
        score_cards(row, row.entered[row.visit])
    elif step == USE_SWORD:
        row.step = USE_FLUTE
        use_sword(row, row.entered[row.visit])
    else:
        row.step = SCORE
        row.visit += 1
        use_flute(row, row.entered[row.visit - 1])


def begin_building(row):
    """RC-30: the next slot, if anybody has entered it; RC-50: after the last the round is over."""
    row.resolved += 1
    if row.resolved == slots(row):
        end_round(row)
        return
    for number in range(row.entries):
        if is_here(row, row.entered[number]):
            reveal(row, row.resolved)
            row.premium = premium_player(row)
            row.visit = 0
            row.step = SCORE
            return


def end_visits(row):
    """RC-42: then the actions; RC-45: in the final round a point instead."""
    row.visit = 0
    row.step = ACT_FIRST
    if is_last_round(row):
        row.step = CLEAR
        if is_here(row, row.premium):
            move_disc(row, class_of(building(row)), row.premium, 1)


def go_on_acting(row):
    """RC-42: the premium player, then the others by entry; RC-46."""
    if row.step == ACT_FIRST:
        row.step = ACT_NEXT
        if is_here(row, row.premium):
            begin_action(row, row.premium)
    elif row.step == CLEAR or row.visit == row.entries:
        discard_laid(row)
        row.step = NEXT_BUILDING
    else:
        seat = row.entered[row.visit]
        row.visit += 1
        if seat != row.premium and is_here(row, seat):
            begin_action(row, seat)


def end_round(row):
    """RC-50; after the last round the nun-row is revealed."""
    row.rounds_played += 1
    row.starting = seat_after(row, row.starting, 1)
    if row.rounds_played < rounds(row):
        begin_round(row)
    else:
        row.stage = REVEALING
        row.place = NONE


def go_on_revealing(row):
    """RC-65: uncover the places that nobody has looked at."""
    row.place += 1
    if row.place == PLACES:
        open_hands(row)
        row.phase = OVER
        row.actor = TERMINAL
    elif row.nun[row.place] == NONE:
        row.phase = NUN
        row.actor = CHANCE
