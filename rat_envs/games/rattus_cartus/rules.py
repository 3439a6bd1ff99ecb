"""Rattus Cartus under the engine's contract; what happens is in the files named after the phases."""

from __future__ import annotations

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.game import CHANCE
from rat_envs.engine.seats import share_out
from rat_envs.games.rattus_cartus.actions import (
    act,
    discard,
    legal_discards,
    legal_hand,
    take_token,
    weigh_tokens,
)
from rat_envs.games.rattus_cartus.buildings import (
    enter,
    lay,
    legal_entering,
    legal_laying,
    legal_slots,
    open_building,
    pass_turn,
    supply,
)
from rat_envs.games.rattus_cartus.cards import draw_card, look_at, note_look, uncover
from rat_envs.games.rattus_cartus.components import (
    ACT,
    CHOOSE,
    DISCARD,
    DRAW,
    ENTER,
    GIVE,
    GO_ON,
    KINDS,
    LAY,
    LOOK,
    NUN,
    OPEN,
    PLACES,
    RAT_TO,
    REVEALING,
    SUPPLY,
    TAKE_FROM,
    TOKEN,
    seats,
)
from rat_envs.games.rattus_cartus.determinization import determinize
from rat_envs.games.rattus_cartus.ending import find_eliminated, find_winners, points_of
from rat_envs.games.rattus_cartus.flow import go_on
from rat_envs.games.rattus_cartus.metrics import tally
from rat_envs.games.rattus_cartus.notation import (
    ACT_ACTION,
    BUILDING_FIRST,
    DECLINE,
    DISCARD_FIRST,
    DONE,
    DRAW_FIRST,
    ENTER_FIRST,
    GIVE_FIRST,
    LAY_FIRST,
    LOOK_FIRST,
    NUN_FIRST,
    PASS_ACTION,
    RAT_TO_FIRST,
    SUPPLY_FIRST,
    TAKE_FROM_FIRST,
    TOKEN_FIRST,
)
from rat_envs.games.rattus_cartus.observation import observe, observe_fixed
from rat_envs.games.rattus_cartus.possible import possible
from rat_envs.games.rattus_cartus.set_up import choose_buildings, set_up, weigh_choices
from rat_envs.games.rattus_cartus.tables import BUILDING_CARDS
from rat_envs.games.rattus_cartus.visits import give, give_rat, legal_target, take_from

__all__ = [
    "actor",
    "apply",
    "chance",
    "determinize",
    "legal",
    "observe",
    "observe_fixed",
    "possible",
    "returns",
    "scores",
    "setup",
    "take",
    "tally",
    "winners",
]


def setup(row):
    """RC-01 to RC-06, up to the first node."""
    set_up(row)
    go_on(row)


def actor(row):
    """The acting seat, ``CHANCE`` or ``TERMINAL``."""
    return row.actor


def legal(row, mask):
    """What the acting seat may do, by kind of node."""
    phase = row.phase
    if phase == SUPPLY:
        legal_slots(row, mask, SUPPLY_FIRST)
    elif phase == LOOK:
        for place in range(PLACES):
            mask[LOOK_FIRST + place] = 1 - ((row.looked_now >> place) & 1)
    elif phase == ENTER:
        legal_entering(row, mask)
    elif phase == LAY:
        legal_laying(row, mask)
        mask[DONE] = 1
    elif phase == GIVE:
        legal_hand(row, mask, GIVE_FIRST)
    elif phase == ACT:
        mask[ACT_ACTION] = 1
        mask[DECLINE] = 1
    elif phase == DISCARD:
        legal_discards(row, mask)
    elif phase == TAKE_FROM or phase == RAT_TO:
        legal_target(row, mask)


def chance(row, weights):
    """Weights of chance outcomes, by kind of node."""
    phase = row.phase
    if phase == DRAW:
        for kind in range(KINDS):
            weights[DRAW_FIRST + kind] = row.pool[kind]
    elif phase == NUN:
        for kind in range(KINDS):
            weights[NUN_FIRST + kind] = row.sleeping[kind] if row.ran_out else row.pool[kind]
    elif phase == OPEN:
        for card in range(len(BUILDING_CARDS)):
            weights[BUILDING_FIRST + card] = row.unknown[card]
    elif phase == TOKEN:
        weigh_tokens(row, weights)
    else:
        weigh_choices(row, weights)


def apply(row, action):
    """Apply one action of a player or one outcome of chance, and everything automatic that follows."""
    take(row, action)
    if row.phase == GO_ON:
        go_on(row)


def take(row, action):
    """Apply an action or outcome, without what follows automatically."""
    if row.actor == CHANCE:
        apply_chance(row, action)
    elif row.phase <= LAY:
        apply_up_to_cards(row, action)
    else:
        apply_in_resolution(row, action)


@out_of_line
def apply_chance(row, outcome):
    """Cards, buildings, tokens."""
    phase = row.phase
    if phase == DRAW:
        draw_card(row, outcome - DRAW_FIRST)
    elif phase == NUN:
        uncover(row, outcome - NUN_FIRST)
        if row.stage != REVEALING:
            note_look(row)
    elif phase == OPEN:
        open_building(row, outcome - BUILDING_FIRST)
    elif phase == TOKEN:
        take_token(row, outcome - TOKEN_FIRST)
    elif phase == CHOOSE:
        choose_buildings(row, outcome)


@out_of_line
def apply_up_to_cards(row, action):
    """Phases B and C, and looks."""
    phase = row.phase
    if phase == SUPPLY:
        supply(row, action - SUPPLY_FIRST)
    elif phase == LOOK:
        look_at(row, action - LOOK_FIRST)
    elif phase == ENTER and action == PASS_ACTION:
        pass_turn(row)
    elif phase == ENTER:
        enter(row, action - ENTER_FIRST)
    elif action == DONE:
        row.phase = GO_ON
    else:
        lay(row, action - LAY_FIRST)


@out_of_line
def apply_in_resolution(row, action):
    """Phase D."""
    phase = row.phase
    if phase == TAKE_FROM:
        take_from(row, action - TAKE_FROM_FIRST)
    elif phase == RAT_TO:
        give_rat(row, row.actor, action - RAT_TO_FIRST)
    elif phase == GIVE:
        give(row, action - GIVE_FIRST)
    elif phase == ACT and action == ACT_ACTION:
        act(row)
    elif phase == DISCARD and action != DONE:
        discard(row, action - DISCARD_FIRST)
    else:
        row.discards_left = 0
        row.phase = GO_ON


def returns(row, out):
    """A share of the win less the mean share, scaled so that a sole winner has +1."""
    winners(row, out)
    share_out(out, seats(row))


def winners(row, out):
    """RC-66: those who share, nobody if all are dead (RC-67)."""
    find_winners(row, out)


def eliminated(row, out):
    """RC-65: the dead."""
    find_eliminated(row, out)


def scores(row, out):
    """RC-60 to RC-64, of dead players too."""
    for seat in range(seats(row)):
        out[seat] = points_of(row, seat)
