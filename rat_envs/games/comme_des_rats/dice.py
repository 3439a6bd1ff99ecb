"""What the dice do: keys, theft, claw and healing (CR-09 to CR-18, CR-53, CR-54, CR-62 to CR-66)."""

from __future__ import annotations

from rat_envs.engine.game import CHANCE
from rat_envs.games.comme_des_rats.bandages import hurt, show_fool, threaten, use_clover
from rat_envs.games.comme_des_rats.components import (
    ACTIVE_DIE,
    CHOOSE_PILE,
    CHOOSE_TARGET,
    CLAW,
    FOOL,
    GO_ON,
    HYPNOTIST,
    KEY1,
    KEY2,
    LOSE,
    PARTNERS_DIE,
    REDIRECT,
    ROB,
    STEAL,
    TRAP,
    cards_left,
    has_role,
    is_third_rat,
    rats,
    stock_size,
)
from rat_envs.games.comme_des_rats.configuration import FACES
from rat_envs.games.comme_des_rats.knowledge import note_draw, note_theft
from rat_envs.games.comme_des_rats.round_end import end_turn
from rat_envs.games.comme_des_rats.turn import forget_die

#: The column of a third-rat card that says who decides.
DECIDER = len(FACES)


def go_on(row):
    """Do everything automatic, up to the next node."""
    while row.phase == GO_ON:
        go_on_once(row)


def go_on_once(row):
    """One automatic step: what is still due for this die, the next die, or the end of the turn."""
    if row.thief_is_due:
        row.thief_is_due = 0
        threaten(row, row.rat)
    elif row.fool_is_due:
        show_fool(row)
    elif row.fool_bandages > 0:
        row.fool_bandages -= 1
        threaten(row, row.robbed)
    elif row.draws_left > 0:
        draw_card(row)
    elif row.die < ACTIVE_DIE:
        begin_die(row)
    else:
        end_turn(row)


def begin_die(row):
    """CR-09: the partner's die, then the active seat's."""
    forget_die(row)
    row.die += 1
    row.rat = row.partner if row.die == PARTNERS_DIE else row.active
    row.decider = decider_for(row)
    face = row.kept[row.die - 1]
    if face == KEY1 or face == KEY2:
        if not row.out[row.rat]:  # CR-21
            ask(row, CHOOSE_PILE)
    elif face == STEAL:
        if somebody_can_be_robbed(row):
            ask(row, ROB)
    elif face == CLAW:
        if is_third_rat(row, row.rat):
            send_cat(row, 1 - row.decider)  # CR-64
        elif somebody_can_be_clawed(row):
            ask(row, CHOOSE_TARGET)
    elif row.bandages[row.rat] > 0 and not row.out[row.rat]:
        row.bandages[row.rat] -= 1  # CR-17


def ask(row, phase):
    """Ask the rat whose die it is, or whoever decides for it."""
    row.phase = phase
    row.actor = row.decider


def decider_for(row):
    """CR-63: the rat itself; for the third rat the active seat or the opponent, as its card says."""
    if not is_third_rat(row, row.rat):
        return row.rat
    return row.active if row.config.third_rat[row.third_rat_card, DECIDER] == 0 else 1 - row.active


def can_be_robbed(row, rat):
    """CR-14, CR-65: another rat that has stock."""
    return rat != row.rat and stock_size(row, rat) > 0


def somebody_can_be_robbed(row):
    """CR-14: if not, nothing happens."""
    for rat in range(rats(row)):
        if can_be_robbed(row, rat):
            return True
    return False


def can_be_clawed(row, rat):
    """CR-15, CR-16: not the rat itself, one that is out, or one visited this turn."""
    return rat != row.rat and can_be_redirected_to(row, rat)


def can_be_redirected_to(row, rat):
    """CR-53: not a rat that is out or was visited, as the Hypnotist just was; the attacker may be chosen."""
    return not row.out[rat] and not row.visited[rat]


def somebody_can_be_clawed(row):
    """CR-15: if not, nothing happens."""
    for rat in range(rats(row)):
        if can_be_clawed(row, rat):
            return True
    return False


def search_pile(row, pile):
    """CR-12, CR-13: one card, or two of the same pile."""
    row.pile_searched = pile
    row.draws_left = 1 if row.kept[row.die - 1] == KEY1 else 2
    row.phase = GO_ON


def draw_card(row):
    """CR-13, CR-18: the top card; a second draw follows if the drawer is not out and the pile has cards."""
    pile = row.pile_searched
    rat = row.rat
    if row.out[rat]:
        row.draws_left = 0
        return
    card = row.pile[pile, row.drawn[pile]]
    row.drawn[pile] += 1
    row.draws_left = row.draws_left - 1 if cards_left(row, pile) > 0 else 0
    if card != TRAP or has_role(row, rat, FOOL):
        store(row, rat, pile, card)
    else:
        row.traps_beside[pile] += 1
        row.trap_shown[rat] = 1
        threaten(row, rat)


def store(row, rat, pile, card):
    """CR-18; CR-54: the Fool stores traps unseen."""
    note_draw(row, rat, pile, card)
    row.stock[rat, card] += 1
    if not (row.role[rat] == FOOL and row.role_shown[rat]):
        row.stored_from[rat, pile] += 1
    if card == TRAP:
        row.fool_drew[pile] += 1


def rob(row, victim):
    """CR-14: chance draws the card."""
    row.robbed = victim
    row.phase = LOSE
    row.actor = CHANCE


def lose_card(row, card):
    """CR-14; CR-54: a Fool's trap hurts the thief, then the Fool; CR-21: what a thief who is out takes is discarded."""
    thief = row.rat
    note_theft(row, thief, row.robbed, card)
    row.stock[row.robbed, card] -= 1
    if card == TRAP:
        row.discard[card] += 1
        row.thief_is_due = 1
        row.fool_is_due = 1
    elif row.out[thief]:
        row.discard[card] += 1
    else:
        row.stock[thief, card] += 1
    row.phase = GO_ON


def send_cat(row, target):
    """CR-15, CR-16; CR-53: the Hypnotist is asked before any clover."""
    row.aimed_at = target
    row.visited[target] = 1
    row.phase = GO_ON
    if has_role(row, target, HYPNOTIST):
        for rat in range(rats(row)):
            if can_be_redirected_to(row, rat):
                row.phase = REDIRECT
                row.actor = target
                return
    threaten(row, target)


def redirect_cat(row, target):
    """CR-53: the Hypnotist shows his card; CR-16: the rat he names counts as visited."""
    row.role_shown[row.actor] = 1
    row.aimed_at = target
    row.visited[target] = 1
    row.phase = GO_ON
    threaten(row, target)


def refuse_redirect(row):
    """CR-76: refusing leaves no trace."""
    row.phase = GO_ON
    threaten(row, row.aimed_at)


def answer_bandage(row, with_clover):
    """CR-19: use a clover or get the bandage."""
    row.phase = GO_ON
    if with_clover:
        use_clover(row)
    else:
        hurt(row)
