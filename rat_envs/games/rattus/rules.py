"""Rattus under the engine's contract; what happens is in the files named after a turn's phases."""

from __future__ import annotations

from rat_envs.engine.seats import share_out
from rat_envs.games.rattus.abilities import (
    begin_merchant,
    begin_monk,
    crown_cube,
    end_ability,
    end_witch,
    legal_goals,
    legal_king,
    legal_second_look,
    legal_swap,
    look,
    move_cubes,
    move_token,
)
from rat_envs.games.rattus.components import (
    BONUS,
    DRAW_LOTS,
    FINAL,
    FLIP,
    GO_ON,
    KING_LATE,
    MAIN,
    MERCHANT_TO,
    MONK_TO,
    PLAGUE_BEGINS,
    SEE,
    SETTLE,
    SPREAD,
    WITCH_AGAIN,
    WITCH_SWAP,
    is_in_play,
    seats,
)
from rat_envs.games.rattus.determinization import determinize
from rat_envs.games.rattus.ending import (
    legal_final,
    move_plague_last,
    pass_to_the_right,
    place_last_cube,
    score,
    winner,
)
from rat_envs.games.rattus.flow import go_on
from rat_envs.games.rattus.metrics import tally
from rat_envs.games.rattus.notation import (
    BONUS_ACTION,
    FLIP_FIRST,
    FLIP_OUTCOME,
    KING_FIRST,
    MERCHANT_FIRST,
    MONK_FIRST,
    NO_BONUS,
    PASS,
    PEASANT_FIRST,
    PLACE_FIRST,
    PLAGUE_FIRST,
    PLAGUE_OUTCOME,
    RAT_FIRST,
    STOP,
    SWAP,
    TAKE_FIRST,
    TO_FIRST,
    TOKEN_OUTCOME,
    WITCH_FIRST,
)
from rat_envs.games.rattus.observation import observe, observe_fixed
from rat_envs.games.rattus.plague import answer_knight, flip, legal_flips, legal_spread, spread
from rat_envs.games.rattus.possible import possible
from rat_envs.games.rattus.set_up import begin_plague, set_up, settle
from rat_envs.games.rattus.tables import REGIONS
from rat_envs.games.rattus.tokens import token_is_drawn, weigh_tokens
from rat_envs.games.rattus.turn import legal_turn, move_plague, place_cubes, take_card

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
    "tally",
    "winners",
]


def setup(row):
    """RT-01 to RT-06."""
    set_up(row)


def actor(row):
    """The acting seat, ``CHANCE`` or ``TERMINAL``."""
    return row.actor


def legal(row, mask):
    """What the acting seat may do, by kind of node."""
    phase = row.phase
    if phase == MAIN:
        legal_turn(row, mask)
    elif phase == FINAL:
        legal_final(row, mask)
    elif phase == SETTLE:
        for region in range(len(REGIONS)):
            mask[PLACE_FIRST + region] = is_in_play(row, region)
    elif phase == MERCHANT_TO or phase == MONK_TO:
        legal_goals(row, mask)
    elif phase == WITCH_AGAIN:
        legal_second_look(row, mask)
    elif phase == WITCH_SWAP:
        legal_swap(row, mask)
    else:
        legal_after_plague(row, mask)


def legal_after_plague(row, mask):
    """What may be done from the move of the plague to the end of the turn."""
    if row.phase == SPREAD:
        legal_spread(row, mask)
    elif row.phase == BONUS:
        mask[BONUS_ACTION] = 1
        mask[NO_BONUS] = 1
    elif row.phase == FLIP:
        legal_flips(row, mask)
    elif row.phase == KING_LATE:
        legal_king(row, mask)
        mask[PASS] = 1


def chance(row, weights):
    """RT-06, RT-80, RT-65."""
    if row.phase == PLAGUE_BEGINS:
        for region in range(len(REGIONS)):
            weights[PLAGUE_OUTCOME + region] = is_in_play(row, region)
    elif row.phase == SEE:
        weigh_tokens(row, row.pile[row.seen_slot, row.seen_region], weights[TOKEN_OUTCOME:])
    else:
        for slot in range(row.rats[row.region_ravaged]):
            weights[FLIP_OUTCOME + slot] = 1


def apply(row, action):
    """Apply one action of a player or one outcome of chance, and everything automatic that follows."""
    take(row, action)
    if row.phase == GO_ON:
        go_on(row)


def take(row, action):
    """Apply an action or outcome, without what follows automatically."""
    phase = row.phase
    if phase == MAIN:
        apply_in_turn(row, action)
    elif phase == FINAL:
        apply_in_final_round(row, action)
    elif phase == SEE:
        token_is_drawn(row, action - TOKEN_OUTCOME)
    elif phase >= SPREAD:
        apply_after_plague(row, action)
    elif phase >= MERCHANT_TO:
        apply_to_ability(row, action)
    elif phase == SETTLE:
        settle(row, action - PLACE_FIRST)
    else:
        begin_plague(row, action - PLAGUE_OUTCOME)


def apply_in_turn(row, action):
    """Actions 1 to 3, or the beginning of an ability."""
    if action < PLACE_FIRST:
        take_card(row, action - TAKE_FIRST)
    elif action < PEASANT_FIRST:
        place_cubes(row, action - PLACE_FIRST, 0)
    elif action < TO_FIRST:
        place_cubes(row, action - PEASANT_FIRST, 1)
    elif PLAGUE_FIRST <= action < RAT_FIRST:
        move_plague(row, action - PLAGUE_FIRST)
    else:
        begin_ability(row, action)


def begin_ability(row, action):
    """Merchant, Monk, Witch, King."""
    if action < PLAGUE_FIRST:
        crown_cube(row, action - KING_FIRST)
    elif action < MONK_FIRST:
        begin_merchant(row, action - MERCHANT_FIRST)
    elif action < WITCH_FIRST:
        begin_monk(row, action - MONK_FIRST)
    else:
        look(row, action - WITCH_FIRST)


def apply_to_ability(row, action):
    """The rest of an ability."""
    phase = row.phase
    if phase == MERCHANT_TO:
        move_cubes(row, action - TO_FIRST)
    elif phase == MONK_TO:
        move_token(row, action - TO_FIRST)
    elif phase == WITCH_SWAP:
        end_witch(row, action == SWAP)
    elif action == STOP:
        end_ability(row)
    else:
        look(row, action - WITCH_FIRST)


def apply_after_plague(row, action):
    """Spread, Knight, ravage, and the King after it."""
    phase = row.phase
    row.phase = GO_ON
    if phase == SPREAD:
        spread(row, action - RAT_FIRST)
    elif phase == BONUS:
        answer_knight(row, action == BONUS_ACTION)
    elif phase == FLIP:
        flip(row, row.plague, action - FLIP_FIRST)
    elif phase == DRAW_LOTS:
        flip(row, row.region_ravaged, action - FLIP_OUTCOME)
    elif phase == KING_LATE and action != PASS:
        crown_cube(row, action - KING_FIRST)


def apply_in_final_round(row, action):
    """RT-61 to RT-64."""
    row.phase = GO_ON
    if action == PASS:
        pass_to_the_right(row)
    elif PEASANT_FIRST <= action < TO_FIRST:
        place_last_cube(row, action - PEASANT_FIRST)
    elif PLAGUE_FIRST <= action < RAT_FIRST:
        move_plague_last(row, action - PLAGUE_FIRST)
    else:
        begin_ability(row, action)


def returns(row, out):
    """RT-66: +1 for the winner, for each other player −1/(n − 1)."""
    winners(row, out)
    share_out(out, seats(row))


def winners(row, out):
    """RT-66."""
    out[winner(row)] = 1


def scores(row, out):
    """RT-66."""
    for seat in range(seats(row)):
        out[seat] = score(row, seat)
