"""What each seat surely knows of the others' stocks: ``sure``, by observer, owner and kind (CR-73, CR-74)."""

from __future__ import annotations

from rat_envs.games.comme_des_rats.components import (
    KINDS,
    MANIPULATOR,
    NONE,
    TRAP,
    is_third_rat,
    seats,
    stock_size,
)


def forget_all(row):
    """CR-77: forget everything when a round is set up."""
    for observer in range(seats(row)):
        for owner in range(seats(row)):
            forget_stock(row, observer, owner)


def forget_stock(row, observer, owner):
    """Forget what an observer knows of a stock."""
    for card in range(KINDS):
        row.sure[observer, owner, card] = 0


def note_draw(row, rat, pile, card):
    """CR-73: whoever looked through the pile knows what ``rat`` stores from it."""
    if is_third_rat(row, rat) or (row.looked_at[0] != pile and row.looked_at[1] != pile):
        return
    for observer in range(seats(row)):
        if row.role[observer] == MANIPULATOR and observer != rat:
            row.sure[observer, rat, card] += 1


def note_theft(row, thief, victim, card):
    """CR-73, CR-74: a card is about to go from one stock to another, or to the discard pile."""
    discarded = card == TRAP or row.out[thief]
    open_theft = discarded or is_third_rat(row, thief) or is_third_rat(row, victim)
    for observer in range(seats(row)):
        sees = open_theft or observer == thief or observer == victim
        if observer != victim and not is_third_rat(row, victim):
            sees = sees or knows_what_is_stolen(row, observer, victim)
            if sees:
                note_seen_leaving(row, observer, victim, card)
            else:
                note_unseen_leaving(row, observer, victim)
        if sees and not discarded and observer != thief and not is_third_rat(row, thief):
            row.sure[observer, thief, card] += 1


def knows_what_is_stolen(row, observer, victim):
    """CR-74: the whole stock is known and, traps apart, of a single kind."""
    known = 0
    kinds = 0
    for card in range(KINDS):
        known += row.sure[observer, victim, card]
        kinds += card != TRAP and row.sure[observer, victim, card] > 0
    return kinds == 1 and known == stock_size(row, victim)


def note_seen_leaving(row, observer, owner, card):
    """A card leaves a stock and the observer sees which."""
    if row.sure[observer, owner, card] > 0:
        row.sure[observer, owner, card] -= 1


def note_unseen_leaving(row, observer, owner):
    """A card leaves a stock unseen: it may have been any card but a trap."""
    for card in range(KINDS):
        if card != TRAP:
            note_seen_leaving(row, observer, owner, card)


def note_discard(row, owner, card):
    """Everyone sees a card of a stock being discarded."""
    if not is_third_rat(row, owner):
        for observer in range(seats(row)):
            note_seen_leaving(row, observer, owner, card)


def note_lost_stock(row, owner):
    """CR-20: a whole stock is lost, face up on the discard pile."""
    if not is_third_rat(row, owner):
        for observer in range(seats(row)):
            forget_stock(row, observer, owner)


def forget_looks(row):
    """Nobody has looked through a pile."""
    row.looked_at[0] = NONE
    row.looked_at[1] = NONE
