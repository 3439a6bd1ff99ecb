"""Which rows are possible when a seat acts or the game is over; for states that come from outside."""

from __future__ import annotations

from rat_envs.engine.counts import total
from rat_envs.engine.game import TERMINAL
from rat_envs.games.comme_des_rats.components import (
    ACTIVE_DIE,
    AL_RATONE,
    BANDAGE,
    BANDAGES_TO_BE_OUT,
    CHOOSE_DIE,
    CHOOSE_PILE,
    CHOOSE_TARGET,
    CLAIM,
    CLAW,
    CLOVER,
    FOOL,
    HYPNOTIST,
    KEEP_DICE,
    KEY1,
    KEY2,
    KINDS,
    LOOK,
    MANIPULATOR,
    NO_DIE,
    NONE,
    OVER,
    PARTNER,
    PARTNERS_DIE,
    PILES,
    PLACE,
    REDIRECT,
    ROB,
    SEATS,
    STEAL,
    TALK,
    TRAP,
    cards_left,
    has_role,
    is_third_rat,
    piles,
    rats,
    seats,
    stock_size,
)
from rat_envs.games.comme_des_rats.configuration import FACES, PILE_SIZE, ROLES, THIRD_RAT_CARDS
from rat_envs.games.comme_des_rats.dice import (
    can_be_redirected_to,
    decider_for,
    somebody_can_be_clawed,
    somebody_can_be_robbed,
)
from rat_envs.games.comme_des_rats.notation import STATEMENTS
from rat_envs.games.comme_des_rats.turn import third_rat_is_free

ALL_CARDS = PILES * PILE_SIZE
MOST_ROUNDS, MOST_EXTRA_ROUNDS = 3, 3
#: Each card is worth two points at most.
MOST_POINTS = (MOST_ROUNDS + MOST_EXTRA_ROUNDS) * 2 * ALL_CARDS

RAT, SEAT, FLAG, FACE = (NONE, SEATS - 1), (0, SEATS - 1), (0, 1), (NONE, len(FACES) - 1)
PILE, CARDS_OF_A_PILE, CARDS_OF_A_KIND = (NONE, PILES - 1), (0, PILE_SIZE), (0, ALL_CARDS)
#: Minimum and maximum of every field when a seat acts or the game is over.
RANGES = {
    "phase": (LOOK, OVER),
    "actor": (TERMINAL, SEATS - 1),
    "rounds_played": (0, MOST_ROUNDS - 1),
    "extra_rounds_played": (0, MOST_EXTRA_ROUNDS),
    "active": SEAT,
    "points": (0, MOST_POINTS),
    "undealt": (0, 0),
    "pile_dealt": (0, PILES),
    "place_dealt": (PILE_SIZE, PILE_SIZE),
    "pile": (NONE, KINDS - 1),
    "drawn": CARDS_OF_A_PILE,
    "traps_beside": CARDS_OF_A_PILE,
    "stock": CARDS_OF_A_KIND,
    "discard": CARDS_OF_A_KIND,
    "bandages": (0, BANDAGES_TO_BE_OUT),
    "out": FLAG,
    "role": (NONE, len(ROLES) - 1),
    "role_shown": FLAG,
    "trap_shown": FLAG,
    "looked_at": PILE,
    "ordering": FLAG,
    "placed": CARDS_OF_A_PILE,
    "left_to_place": CARDS_OF_A_PILE,
    "fool_drew": CARDS_OF_A_PILE,
    "stored_from": CARDS_OF_A_PILE,
    "sure": CARDS_OF_A_KIND,
    "first_roll": FACE,
    "dice": FACE,
    "rerolled": FLAG,
    "statement": (NONE, STATEMENTS - 1),
    "partner": RAT,
    "kept": FACE,
    "third_rat_shown": FLAG,
    "third_rat_card": (NONE, THIRD_RAT_CARDS - 1),
    "visited": FLAG,
    "die": (NO_DIE, ACTIVE_DIE),
    "rat": RAT,
    "decider": RAT,
    "pile_searched": PILE,
    "draws_left": (0, 1),
    "robbed": RAT,
    "aimed_at": RAT,
    "bandaged": RAT,
    "thief_is_due": (0, 0),
    "fool_is_due": FLAG,
    "fool_bandages": CARDS_OF_A_KIND,
}


def possible(row):
    """The end, or a node at which everything named is in play and every card is in one place."""
    if row.phase == OVER:
        return row.actor == TERMINAL
    return (
        names_are_possible(row)
        and roles_are_possible(row)
        and piles_are_possible(row)
        and cards_are_possible(row)
        and traps_are_possible(row)
        and (node_before_dice_is_possible(row) if row.phase <= CHOOSE_DIE else node_of_die_is_possible(row))
    )


def names_are_possible(row):
    """The seats, rats and piles that are named are in play."""
    return (
        0 <= row.actor < seats(row)
        and row.active < seats(row)
        and row.decider < seats(row)
        and row.extra_rounds_played <= row.config.extra_rounds
        and row.pile_dealt == piles(row)
        and max(row.partner, row.rat, row.robbed, row.aimed_at, row.bandaged) < rats(row)
        and max(row.pile_searched, row.looked_at[0], row.looked_at[1]) < piles(row)
    )


def roles_are_possible(row):
    """CR-50: with roles, each seat has a different one; CR-51: the Manipulator is known, and has looked."""
    looked = False
    for seat in range(rats(row)):
        role = row.role[seat]
        if (role != NONE) != (seat < seats(row) and row.config.roles != 0):
            return False
        for other in range(seat):
            if role != NONE and role == row.role[other]:
                return False
        if role == MANIPULATOR:
            looked = True
            if not row.role_shown[seat]:
                return False
    first, second = row.looked_at
    return row.phase == LOOK or (first != NONE) == (second != NONE) == (first != second) == looked


def piles_are_possible(row):
    """CR-04: every place holds a card, except those of a pile being ordered (CR-51)."""
    for pile in range(piles(row)):
        ordered = row.phase == PLACE and pile == row.looked_at[row.ordering]
        for place in range(PILE_SIZE):
            if (row.pile[pile, place] == NONE) != (ordered and place >= row.placed):
                return False
        if row.traps_beside[pile] + row.fool_drew[pile] > row.drawn[pile]:
            return False
        stored = 0
        for rat in range(SEATS):
            stored += row.stored_from[rat, pile]
        if stored > row.drawn[pile]:
            return False
    return total(row.left_to_place) == (PILE_SIZE - row.placed if row.phase == PLACE else 0)


def cards_are_possible(row):
    """CR-02: every card is in one place; CR-20: a rat that is out has none; CR-74: what is surely known is true."""
    for card in range(KINDS):
        if cards_of_kind(row, card) != row.config.doors[card]:
            return False
    for rat in range(SEATS):
        if row.out[rat] != (row.bandages[rat] == BANDAGES_TO_BE_OUT):
            return False
        if (row.out[rat] or rat >= rats(row)) and stock_size(row, rat) > 0:
            return False
        for observer in range(SEATS):
            for card in range(KINDS):
                if row.sure[observer, rat, card] > row.stock[rat, card]:
                    return False
    return True


def cards_of_kind(row, card):
    """Number of cards of a kind, in all places."""
    number = row.discard[card] + row.left_to_place[card]
    for pile in range(piles(row)):
        number += row.traps_beside[pile] if card == TRAP else 0
        for place in range(row.drawn[pile], PILE_SIZE):
            number += row.pile[pile, place] == card
    for rat in range(SEATS):
        number += row.stock[rat, card]
    return number


def traps_are_possible(row):
    """CR-04: every pile was dealt one; CR-54: only the Fool takes them, from piles he stored cards from."""
    drawn = row.discard[TRAP]
    for rat in range(rats(row)):
        is_fool = row.role[rat] == FOOL
        drawn += row.stock[rat, TRAP]
        if row.stock[rat, TRAP] > 0 and not (is_fool and not row.role_shown[rat]):
            return False
        named = row.role_shown[rat] or row.fool_is_due or row.out[rat]
        if is_fool and row.discard[TRAP] > 0 and not named:
            return False
        if is_fool and not row.role_shown[rat] and row.trap_shown[rat]:
            return False
    for pile in range(piles(row)):
        drawn -= row.fool_drew[pile]
        if traps_dealt_to(row, pile) == 0 or row.fool_drew[pile] > stored_by_fool(row, pile):
            return False
    return drawn == 0


def traps_dealt_to(row, pile):
    """Number of traps that a pile was dealt, wherever they are now."""
    number = row.traps_beside[pile] + row.fool_drew[pile]
    if row.phase == PLACE and pile == row.looked_at[row.ordering]:
        number += row.left_to_place[TRAP]
    for place in range(row.drawn[pile], PILE_SIZE):
        number += row.pile[pile, place] == TRAP
    return number


def stored_by_fool(row, pile):
    """Cards that the Fool has stored from a pile; 0 if nobody is the Fool."""
    for rat in range(rats(row)):
        if row.role[rat] == FOOL:
            return row.stored_from[rat, pile]
    return 0


def node_before_dice_is_possible(row):
    """CR-51, CR-06 to CR-08: nothing is being resolved."""
    if row.die != NO_DIE or row.draws_left + row.fool_is_due + row.fool_bandages > 0:
        return False
    if row.phase == LOOK or row.phase == PLACE:
        return look_is_possible(row)
    if row.dice[0] == NONE or row.dice[1] == NONE or row.kept[0] != NONE or row.kept[1] != NONE:
        return False
    if row.phase == CHOOSE_DIE:
        return row.actor == row.partner != row.active and row.dice[0] != row.dice[1]
    return row.partner == NONE and node_before_partner_is_possible(row)


def look_is_possible(row):
    """CR-51: the Manipulator acts, before anybody has drawn."""
    first, second = row.looked_at
    looked = second == NONE if row.phase == LOOK else first != NONE and second != NONE and first != second
    return (
        looked
        and row.config.roles != 0
        and row.role[row.actor] == MANIPULATOR
        and row.placed < PILE_SIZE - 1 + (row.phase == LOOK) * PILE_SIZE
        and total(row.drawn) == 0
    )


def node_before_partner_is_possible(row):
    """CR-06, CR-40, CR-52, CR-07."""
    if row.phase == KEEP_DICE:
        return row.actor == row.active
    if row.phase == TALK:
        return row.actor != row.active and row.config.talk != 0
    if row.phase == CLAIM:
        return row.actor != row.active and has_role(row, row.actor, AL_RATONE)
    return row.phase == PARTNER and row.actor == row.active and (seats(row) > 2 or third_rat_is_free(row))


def node_of_die_is_possible(row):
    """CR-09: a die is being resolved for its rat, by whoever decides for it."""
    if row.die == NO_DIE or row.partner == NONE or row.partner == row.active or not dice_are_shared(row):
        return False
    if row.rat != (row.partner if row.die == PARTNERS_DIE else row.active) or row.decider != decider_for(row):
        return False
    if row.phase == BANDAGE:
        return bandage_is_possible(row)
    if row.draws_left + row.fool_is_due + row.fool_bandages > 0:
        return False
    if row.phase == REDIRECT:
        return redirection_is_possible(row)
    return row.actor == row.decider and choice_is_possible(row)


def dice_are_shared(row):
    """CR-08; CR-62: the third rat uses one of its cards."""
    same = row.kept[0] == row.dice[0] and row.kept[1] == row.dice[1]
    crossed = row.kept[0] == row.dice[1] and row.kept[1] == row.dice[0]
    if row.kept[0] == NONE or row.kept[1] == NONE or not (same or crossed):
        return False
    if not is_third_rat(row, row.partner):
        return row.third_rat_card == NONE
    return row.third_rat_card != NONE and row.third_rat_shown[row.third_rat_card] == 1


def choice_is_possible(row):
    """CR-12, CR-14, CR-15: the die calls for this choice, and there is something to choose."""
    face = row.kept[row.die - 1]
    if row.phase == CHOOSE_PILE:
        left = 0
        for pile in range(piles(row)):
            left += cards_left(row, pile)
        return (face == KEY1 or face == KEY2) and left > 0 and not row.out[row.rat]
    if row.phase == ROB:
        return face == STEAL and somebody_can_be_robbed(row)
    return row.phase == CHOOSE_TARGET and face == CLAW and somebody_can_be_clawed(row)


def redirection_is_possible(row):
    """CR-53."""
    if row.kept[row.die - 1] != CLAW or row.actor != row.aimed_at or not has_role(row, row.actor, HYPNOTIST):
        return False
    for rat in range(rats(row)):
        if can_be_redirected_to(row, rat):
            return True
    return False


def bandage_is_possible(row):
    """CR-19: the rat about to get it has a clover; CR-12, CR-54: what is due after it is possible."""
    if row.actor != row.bandaged or row.stock[row.actor, CLOVER] == 0 or row.out[row.actor]:
        return False
    if row.draws_left > 0 and (row.pile_searched == NONE or cards_left(row, row.pile_searched) == 0):
        return False
    return row.fool_is_due + row.fool_bandages == 0 or row.robbed != NONE
