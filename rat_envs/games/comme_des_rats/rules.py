"""Comme des Rats under the engine's contract: set-up, acting seat, legal actions, what an action does, result."""

from __future__ import annotations

from rat_envs.engine.seats import share_out
from rat_envs.games.comme_des_rats.components import (
    BANDAGE,
    CHOOSE_DIE,
    CHOOSE_PILE,
    CHOOSE_TARGET,
    CLAIM,
    DEAL,
    DEAL_ROLES,
    GO_ON,
    KEEP_DICE,
    KINDS,
    LOOK,
    LOSE,
    NONE,
    PARTNER,
    PLACE,
    REDIRECT,
    REROLL,
    REVEAL,
    ROB,
    ROLL,
    TALK,
    TRAPS,
    cards_left,
    piles,
    rats,
    seats,
)
from rat_envs.games.comme_des_rats.configuration import FACES, PILE_SIZE, ROLES, THIRD_RAT_CARDS
from rat_envs.games.comme_des_rats.determinization import determinize
from rat_envs.games.comme_des_rats.dice import (
    answer_bandage,
    can_be_clawed,
    can_be_redirected_to,
    can_be_robbed,
    go_on,
    lose_card,
    redirect_cat,
    refuse_redirect,
    rob,
    search_pile,
    send_cat,
)
from rat_envs.games.comme_des_rats.metrics import tally
from rat_envs.games.comme_des_rats.notation import (
    BANDAGE_ACTION,
    CLAIM_ACTION,
    CLAW_FIRST,
    CLOVER_ACTION,
    DEAL_FIRST,
    DIE_FIRST,
    KEEP_DICE_ACTION,
    LOOK_FIRST,
    LOSE_FIRST,
    NO_CLAIM_ACTION,
    NO_REDIRECT_ACTION,
    PARTNER_FIRST,
    PILE_FIRST,
    PLACE_FIRST,
    REDIRECT_FIRST,
    REROLL_ACTION,
    REVEAL_FIRST,
    ROB_FIRST,
    ROLE_FIRST,
    ROLL_FIRST,
    SAY_CLAW,
    SAY_DIE,
    SAY_FIRST,
    SAY_NOTHING,
    SAY_PEACE,
    TRAP_FIRST,
    place_of_rat,
    rat_at,
)
from rat_envs.games.comme_des_rats.observation import observe, observe_fixed
from rat_envs.games.comme_des_rats.possible import possible
from rat_envs.games.comme_des_rats.round_end import leads
from rat_envs.games.comme_des_rats.set_up import begin_round, deal_card, deal_role, look_through, place_card, put_trap
from rat_envs.games.comme_des_rats.turn import (
    ask_partner,
    ask_reroll,
    choose_partner,
    claim_dice,
    dice_are_final,
    keep_die,
    make_statement,
    roll_dice,
    show_third_rat_card,
    third_rat_is_free,
)

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
    """CR-03: player_0 begins the first round."""
    begin_round(row)


def actor(row):
    """The acting seat, ``CHANCE`` or ``TERMINAL``."""
    return row.actor


def legal(row, mask):
    """What the acting seat may do, by kind of node."""
    phase = row.phase
    if phase == KEEP_DICE:
        allow_both(mask, KEEP_DICE_ACTION, REROLL_ACTION)
    elif phase == CLAIM:
        allow_both(mask, CLAIM_ACTION, NO_CLAIM_ACTION)
    elif phase == CHOOSE_DIE:
        allow_both(mask, DIE_FIRST + row.dice[0], DIE_FIRST + row.dice[1])
    elif phase == BANDAGE:
        allow_both(mask, CLOVER_ACTION, BANDAGE_ACTION)
    elif phase == CHOOSE_PILE:
        for pile in range(piles(row)):
            mask[PILE_FIRST + pile] = cards_left(row, pile) > 0
    elif phase == TALK:
        legal_statements(row, mask)
    elif phase == LOOK or phase == PLACE:
        legal_orders(row, mask)
    else:
        legal_rats(row, mask)


def allow_both(mask, one, other):
    """A choice between two actions."""
    mask[one] = 1
    mask[other] = 1


def legal_orders(row, mask):
    """CR-51: two different piles; then what is left of the pile to be ordered."""
    if row.phase == LOOK:
        for pile in range(piles(row)):
            mask[LOOK_FIRST + pile] = row.looked_at[0] != pile
    else:
        for card in range(KINDS):
            mask[PLACE_FIRST + card] = row.left_to_place[card] > 0


def legal_statements(row, mask):
    """CR-40: nothing, peace, a face just rolled, any rat but the speaker."""
    mask[SAY_FIRST + SAY_NOTHING] = 1
    mask[SAY_FIRST + SAY_PEACE] = 1
    mask[SAY_FIRST + SAY_DIE + row.dice[0]] = 1
    mask[SAY_FIRST + SAY_DIE + row.dice[1]] = 1
    for rat in range(rats(row)):
        mask[SAY_FIRST + SAY_CLAW + place_of_rat(row, rat)] = rat != row.actor


def legal_rats(row, mask):
    """Nodes at which a rat is named: partner, theft, cat, redirected cat."""
    for rat in range(rats(row)):
        place = place_of_rat(row, rat)
        if row.phase == PARTNER:
            mask[PARTNER_FIRST + place] = rat != row.active and (rat < seats(row) or third_rat_is_free(row))
        elif row.phase == ROB:
            mask[ROB_FIRST + place] = can_be_robbed(row, rat)
        elif row.phase == CHOOSE_TARGET:
            mask[CLAW_FIRST + place] = can_be_clawed(row, rat)
        elif row.phase == REDIRECT:
            mask[REDIRECT_FIRST + place] = can_be_redirected_to(row, rat)
    if row.phase == REDIRECT:
        mask[NO_REDIRECT_ACTION] = 1


def chance(row, weights):
    """Weights of chance outcomes, by kind of node."""
    phase = row.phase
    if phase == ROLL or phase == REROLL:
        weigh_rolls(row, weights)
    elif phase == LOSE:
        for card in range(KINDS):
            weights[LOSE_FIRST + card] = row.stock[row.robbed, card]
    elif phase == TRAPS:
        for place in range(PILE_SIZE):
            weights[TRAP_FIRST + place] = 1
    elif phase == DEAL:
        for card in range(KINDS):
            weights[DEAL_FIRST + card] = row.undealt[card]
    elif phase == REVEAL:
        for card in range(THIRD_RAT_CARDS):
            weights[REVEAL_FIRST + card] = 1 - row.third_rat_shown[card]
    else:
        weigh_roles(row, weights)


def weigh_rolls(row, weights):
    """Two dice in one outcome: c² for two of a face with c sides, 2·c·d for two different faces."""
    roll = ROLL_FIRST
    for first in range(len(FACES)):
        faces = row.config.die[first]
        weights[roll] = faces * faces
        for second in range(first + 1, len(FACES)):
            weights[roll + second - first] = 2 * faces * row.config.die[second]
        roll += len(FACES) - first


def weigh_roles(row, weights):
    """CR-50: each role that is not dealt."""
    for role in range(len(ROLES)):
        weights[ROLE_FIRST + role] = 1
    for seat in range(seats(row)):
        if row.role[seat] != NONE:
            weights[ROLE_FIRST + row.role[seat]] = 0


def apply(row, action):
    """Apply one action of a player or one outcome of chance, and everything automatic that follows."""
    take(row, action)
    if row.phase == GO_ON:
        go_on(row)


def take(row, action):
    """Apply an action or outcome, without what follows automatically."""
    phase = row.phase
    if phase <= REROLL:
        apply_up_to_roll(row, action)
    elif phase <= CHOOSE_DIE:
        apply_up_to_dice(row, action)
    else:
        apply_to_die(row, action)


def apply_up_to_roll(row, action):
    """Round set-up, roles and the roll."""
    phase = row.phase
    if phase == ROLL or phase == REROLL:
        roll_dice(row, action - ROLL_FIRST)
    elif phase == KEEP_DICE:
        if action == KEEP_DICE_ACTION:
            dice_are_final(row)
        else:
            ask_reroll(row)
    elif phase == DEAL:
        deal_card(row, action - DEAL_FIRST)
    elif phase == TRAPS:
        put_trap(row, action - TRAP_FIRST)
    elif phase == DEAL_ROLES:
        deal_role(row, action - ROLE_FIRST)
    elif phase == LOOK:
        look_through(row, action - LOOK_FIRST)
    else:
        place_card(row, action - PLACE_FIRST)


def apply_up_to_dice(row, action):
    """Talk, Al Ratone, partner, and who keeps which die."""
    phase = row.phase
    if phase == TALK:
        make_statement(row, action - SAY_FIRST)
    elif phase == CLAIM:
        if action == CLAIM_ACTION:
            claim_dice(row)
        else:
            ask_partner(row)
    elif phase == PARTNER:
        choose_partner(row, rat_at(row, action - PARTNER_FIRST))
    elif phase == REVEAL:
        show_third_rat_card(row, action - REVEAL_FIRST)
    else:
        keep_die(row, action - DIE_FIRST)


def apply_to_die(row, action):
    """What is chosen while a die is resolved."""
    phase = row.phase
    if phase == CHOOSE_PILE:
        search_pile(row, action - PILE_FIRST)
    elif phase == ROB:
        rob(row, rat_at(row, action - ROB_FIRST))
    elif phase == LOSE:
        lose_card(row, action - LOSE_FIRST)
    elif phase == CHOOSE_TARGET:
        send_cat(row, rat_at(row, action - CLAW_FIRST))
    elif phase == REDIRECT:
        if action == NO_REDIRECT_ACTION:
            refuse_redirect(row)
        else:
            redirect_cat(row, rat_at(row, action - REDIRECT_FIRST))
    else:
        answer_bandage(row, action == CLOVER_ACTION)


def returns(row, out):
    """CR-80, CR-81: a share of the win less the mean share, scaled so that a sole winner has +1."""
    winners(row, out)
    share_out(out, seats(row))


def winners(row, out):
    """CR-80, CR-81: the seats at the top; the third rat counts, but wins nothing."""
    for seat in range(seats(row)):
        out[seat] = leads(row, seat)


def scores(row, out):
    """CR-82: the seats' points."""
    for seat in range(seats(row)):
        out[seat] = row.points[seat]
