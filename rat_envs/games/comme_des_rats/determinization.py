"""Redeal what a seat cannot know (CR-78).

The probability of a deal of the piles is proportional to the number of ways to choose their guaranteed traps (CR-04):
for each pile, the number of traps it was dealt. Without roles, traps are never in a stock, so the unseen cards are
dealt in three steps: the number of unseen traps in each pile, weighted by the number of deals with these numbers; their
places in the pile; and all other cards uniformly over the places left in piles and stocks. This is exact.

With roles, a seat that may be the Fool may hold traps from any pile it stored cards from. The Fool, and the number of
traps he drew from each pile, are also drawn in proportion to the number of deals. The evidence from thefts is ignored:
each theft that showed no trap makes traps in that stock less likely. Before any theft the sample is exact; after
thefts, its total variation distance from the enumeration of Fool and traps, over 56 positions of random play for each
number of players, was 0.05 on average with three players and 0.03 with four, and 0.46 and 0.34 at worst
(``test_comme_des_rats_determinization_with_roles.py`` measures it).
"""

from __future__ import annotations

import numpy as np

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.counts import fill, total
from rat_envs.engine.random import draw_below, draw_weighted
from rat_envs.games.comme_des_rats.components import (
    BANDAGE,
    CLAIM,
    CLOVER,
    DEAL,
    FOOL,
    KINDS,
    MANIPULATOR,
    NONE,
    PLACE,
    REDIRECT,
    SEATS,
    TRAP,
    TRAPS,
    cards_left,
    piles,
    seats,
    stock_size,
)
from rat_envs.games.comme_des_rats.configuration import CARDS, PILE_SIZE, ROLES
from rat_envs.games.comme_des_rats.observation import knows_pile

#: ``CHOOSE[n, k]``: ways to choose k out of n.
CHOOSE = np.array([[1, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0], [1, 2, 1, 0, 0, 0], [1, 3, 3, 1, 0, 0], [1, 4, 6, 4, 1, 0],
                   [1, 5, 10, 10, 5, 1]])  # fmt: skip


@out_of_line
def determinize(row, seat, stream):
    """Redeal what ``seat`` cannot know; do nothing while the piles are laid out, as nobody decides then."""
    if row.phase == TRAPS or row.phase == DEAL:
        return
    finish_order(row, seat)
    known = known_stocks(row, seat)
    pool = unseen_cards(row, seat, known)
    fool = draw_fool(row, seat, known, pool, stream)
    deal_roles(row, seat, fool, stream)
    deal_cards(row, seat, fool, known, pool, stream)
    resume_order(row, seat)
    clear_what_others_know(row, seat)


def finish_order(row, seat):
    """Put the remaining cards into a pile that another seat is ordering, as if it were finished."""
    if row.phase == PLACE and row.actor != seat:
        pile = row.looked_at[row.ordering]
        place = row.placed
        for card in range(KINDS):
            while row.left_to_place[card] > 0:
                row.pile[pile, place] = card
                row.left_to_place[card] -= 1
                place += 1


def resume_order(row, seat):
    """Take the cards not yet placed out of a pile that another seat is ordering."""
    if row.phase == PLACE and row.actor != seat:
        pile = row.looked_at[row.ordering]
        for place in range(row.placed, PILE_SIZE):
            row.left_to_place[row.pile[pile, place]] += 1
            row.pile[pile, place] = NONE


def known_stocks(row, seat):
    """By owner and kind: what ``seat`` surely knows of stocks, and the clover that opens another seat's window."""
    known = np.zeros((SEATS, len(CARDS)), np.int64)
    for owner in range(seats(row)):
        for card in range(KINDS):
            known[owner, card] = row.stock[owner, card] if owner == seat else row.sure[seat, owner, card]
    if row.phase == BANDAGE:
        known[row.actor, CLOVER] = max(known[row.actor, CLOVER], 1)
    return known


def unseen_cards(row, seat, known):
    """By kind: the cards to redeal."""
    pool = np.zeros(len(CARDS), np.int64)
    for owner in range(seats(row)):
        for card in range(KINDS):
            pool[card] += row.stock[owner, card] - known[owner, card]
    for pile in range(piles(row)):
        if not knows_pile(row, seat, pile):
            for place in range(row.drawn[pile], PILE_SIZE):
                pool[row.pile[pile, place]] += 1
    return pool


def free_places(row, owner, known):
    """Number of unknown cards in a stock."""
    return stock_size(row, owner) - total(known[owner])


def role_is_fixed(row, seat, other):
    """Whether ``seat`` knows the role of ``other``, or it opens a window; a trap on the discard pile names the Fool."""
    window = row.actor == other and (row.phase == CLAIM or row.phase == REDIRECT)
    named = row.role[other] == FOOL and row.discard[TRAP] > 0
    return other == seat or row.role_shown[other] != 0 or row.role[other] == NONE or window or named


def draw_fool(row, seat, known, pool, stream):
    """Draw the Fool's seat (CR-78), weighted by the number of deals; NONE if that card is not dealt."""
    if not row.config.roles:
        return NONE
    for other in range(seats(row)):
        is_seen = row.role[other] == FOOL and (role_is_fixed(row, seat, other) or fool_was_seen(row, seat))
        if is_seen or known[other, TRAP] > 0:
            return other
    candidates = np.zeros(SEATS + len(ROLES), np.int64)
    number, unfixed = 0, 0
    for other in range(seats(row)):
        if not role_is_fixed(row, seat, other):
            unfixed += 1
            if not row.trap_shown[other]:
                candidates[number] = other
                number += 1
    for _ in range(total(unseen_roles(row, seat)) - unfixed):  # roles have that many times more deals without the Fool
        candidates[number] = NONE
        number += 1
    return draw_candidate(row, seat, known, pool, candidates, number, stream)


def fool_was_seen(row, seat):
    """Whether the Fool drew a trap from a pile that ``seat`` looked through: also after a determinization for another
    seat, which clears what ``seat`` was sure of."""
    for pile in range(piles(row)):
        if row.fool_drew[pile] > 0 and knows_pile(row, seat, pile):
            return True
    return False


def draw_candidate(row, seat, known, pool, candidates, number, stream):
    """Draw one of the candidates for the Fool, weighted by its number of deals."""
    deals = np.zeros(number, np.int64)
    for place in range(number):
        fool = candidates[place]
        numbers = count_deals(row, seat, fool, pool)
        for hidden in range(most_hidden(row, fool, known, pool) + 1):
            deals[place] += deals_with(row, seat, fool, pool, hidden, numbers)
    most = deals.max()
    while True:
        place = draw_below(stream, number)
        if draw_below(stream, most) < deals[place]:
            return candidates[place]


def unseen_roles(row, seat):
    """By role: 1 if it may be dealt to another seat; never the Manipulator, who is shown at once."""
    free = np.ones(len(ROLES), np.int64)
    free[MANIPULATOR] = 0
    for other in range(seats(row)):
        if role_is_fixed(row, seat, other) and row.role[other] != NONE:
            free[row.role[other]] = 0
    return free


def deal_roles(row, seat, fool, stream):
    """Give ``fool`` the Fool's card, and deal the other unseen roles uniformly."""
    if not row.config.roles:
        return
    free = unseen_roles(row, seat)
    free[FOOL] = 0
    fixed = np.zeros(SEATS, np.int64)
    for other in range(seats(row)):
        fixed[other] = role_is_fixed(row, seat, other)
    for other in range(seats(row)):
        if not fixed[other]:
            role = FOOL if other == fool else draw_weighted(stream, free)
            row.role[other] = role
            free[role] = 0


def is_hidden_fool(seat, fool):
    """Whether ``seat`` does not know the traps that the Fool drew."""
    return fool != NONE and fool != seat


def most_hidden(row, fool, known, pool):
    """The most traps unknown to ``seat`` that the Fool's stock may hold."""
    if fool == NONE or row.role_shown[fool]:
        return 0
    return min(pool[TRAP], free_places(row, fool, known))


def count_deals(row, seat, fool, pool):
    """The number of deals of traps to a pile and all after it: by pile, traps in them, traps the Fool drew from them.

    For each pile the factors are the ways to choose the places of its traps among those left, the traps the Fool drew
    among the cards he stored from it, and its guaranteed trap among all traps it was dealt.
    """
    most = pool[TRAP]
    drawn = most + row.discard[TRAP] if is_hidden_fool(seat, fool) else 0
    deals = np.zeros((piles(row) + 1, most + 1, drawn + 1), np.int64)
    deals[piles(row), 0, 0] = 1
    for pile in range(piles(row) - 1, -1, -1):
        for lying in range(most + 1):
            for taken in range(drawn + 1):
                for here in range(min(lying, places_for_traps(row, seat, pile)) + 1):
                    for stored in range(min(taken, storable_traps(row, seat, fool, pile)) + 1):
                        deals[pile, lying, taken] += (
                            ways(row, seat, fool, pile, here, stored) * deals[pile + 1, lying - here, taken - stored]
                        )
    return deals


def places_for_traps(row, seat, pile):
    """Number of places in a pile where unseen traps may lie."""
    return 0 if knows_pile(row, seat, pile) else cards_left(row, pile)


def storable_traps(row, seat, fool, pile):
    """The most traps that the Fool may have drawn from a pile, as far as ``seat`` knows."""
    if not is_hidden_fool(seat, fool) or knows_pile(row, seat, pile):
        return 0
    return row.stored_from[fool, pile]


def ways(row, seat, fool, pile, here, stored):
    """The number of deals of one pile with ``here`` traps in it and ``stored`` traps drawn by the Fool."""
    if knows_pile(row, seat, pile):
        return 1
    dealt = row.traps_beside[pile] + here + stored
    if fool == seat:
        dealt += row.fool_drew[pile]
    return CHOOSE[cards_left(row, pile), here] * CHOOSE[storable_traps(row, seat, fool, pile), stored] * dealt


def drawn_unseen(row, seat, fool, hidden):
    """Traps the Fool drew from piles ``seat`` has not looked through, if his stock has ``hidden`` unseen ones."""
    if not is_hidden_fool(seat, fool):
        return 0
    seen = 0
    for pile in range(piles(row)):
        if knows_pile(row, seat, pile):
            seen += row.fool_drew[pile]
    in_stock = row.sure[seat, fool, TRAP]
    return hidden + in_stock + row.discard[TRAP] - seen


def deals_with(row, seat, fool, pool, hidden, numbers):
    """The number of deals with ``hidden`` unseen traps in the Fool's stock."""
    drawn = drawn_unseen(row, seat, fool, hidden)
    return numbers[0, pool[TRAP] - hidden, drawn] if 0 <= drawn < numbers.shape[2] else 0


def deal_cards(row, seat, fool, known, pool, stream):
    """Deal traps weighted by the number of deals, then all other cards uniformly over the places left."""
    numbers = count_deals(row, seat, fool, pool)
    most = most_hidden(row, fool, known, pool)
    weights = np.zeros(most + 1, np.int64)
    for hidden in range(most + 1):
        weights[hidden] = deals_with(row, seat, fool, pool, hidden, numbers)
    hidden = draw_weighted(stream, weights)
    drawn = drawn_unseen(row, seat, fool, hidden)
    lying = pool[TRAP] - hidden
    plain = pool.copy()
    plain[TRAP] = 0
    for owner in range(seats(row)):
        if owner != seat:
            if owner == fool:
                known[owner, TRAP] += hidden
            deal_stock(row, owner, known, plain, stream)
    for pile in range(piles(row)):
        if knows_pile(row, seat, pile):
            continue
        choice = draw_pile_traps(row, seat, fool, pile, lying, drawn, numbers, stream)
        here = choice // (PILE_SIZE + 1)
        stored = choice % (PILE_SIZE + 1)
        lying -= here
        drawn -= stored
        if fool != seat:
            row.fool_drew[pile] = stored
        deal_pile(row, pile, here, plain, stream)


def draw_pile_traps(row, seat, fool, pile, lying, drawn, numbers, stream):
    """Two draws in one number: the traps in this pile times ``PILE_SIZE + 1``, plus those the Fool drew from it."""
    weights = np.zeros((PILE_SIZE + 1) ** 2, np.int64)
    for here in range(min(lying, cards_left(row, pile)) + 1):
        for stored in range(min(drawn, storable_traps(row, seat, fool, pile)) + 1):
            weights[here * (PILE_SIZE + 1) + stored] = (
                ways(row, seat, fool, pile, here, stored) * numbers[pile + 1, lying - here, drawn - stored]
            )
    return draw_weighted(stream, weights)


def deal_stock(row, owner, known, plain, stream):
    """Give a stock its known cards, and deal the rest from ``plain``."""
    free = free_places(row, owner, known)
    for card in range(KINDS):
        row.stock[owner, card] = known[owner, card]
    for _ in range(free):
        card = draw_weighted(stream, plain)
        plain[card] -= 1
        row.stock[owner, card] += 1


def deal_pile(row, pile, traps, plain, stream):
    """Deal ``traps`` traps to random places of a pile, and the rest from ``plain``."""
    for place in range(row.drawn[pile], PILE_SIZE):
        if draw_below(stream, PILE_SIZE - place) < traps:
            traps -= 1
            row.pile[pile, place] = TRAP
        else:
            card = draw_weighted(stream, plain)
            plain[card] -= 1
            row.pile[pile, place] = card


def clear_what_others_know(row, seat):
    """CR-78: clear what others are sure of, which tells of the true game and is not observed by ``seat``.

    A lower bound of 0 is all that ``seat`` can tell, whatever was dealt.
    """
    for observer in range(seats(row)):
        if observer != seat:
            for owner in range(seats(row)):
                fill(row.sure[observer, owner], 0)
