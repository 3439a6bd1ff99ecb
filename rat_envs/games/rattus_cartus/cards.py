"""Drawing, discarding, taking and looking: the parts of building and supply actions (RC-04 to RC-09)."""

from __future__ import annotations

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.game import CHANCE
from rat_envs.games.rattus_cartus.components import DRAW, GO_ON, KINDS, LOOK, NONE, NUN
from rat_envs.games.rattus_cartus.knowledge import (
    cap,
    note_draw,
    note_empty_deck,
    note_new_deck,
    note_nun,
    note_open,
    note_special,
)


def begin_draws(row, seat, number):
    """Begin to draw ``number`` cards."""
    row.doer = seat
    row.draws_left = number


def ask_draw(row):
    """RC-07: while deck and discard pile are both empty, draws are forgone."""
    if row.deck_size == 0:
        row.draws_left = 0
    else:
        row.phase = DRAW
        row.actor = CHANCE


def draw_card(row, kind):
    """RC-06: draw a card from the deck into the hand."""
    row.draws_left -= 1
    row.pool[kind] -= 1
    row.deck_size -= 1
    row.hand[row.doer, kind] += 1
    row.cards_held[row.doer] += 1
    note_draw(row, row.doer, kind)
    if row.deck_size == 0:
        run_out(row)
    row.phase = GO_ON


@out_of_line
def run_out(row):
    """RC-07; from now on the unseen row cards are kept apart from the deck."""
    if not row.ran_out:
        row.ran_out = 1
        for kind in range(KINDS):
            row.sleeping[kind] = row.pool[kind]
            row.pool[kind] = 0
    note_empty_deck(row)
    shuffle_if_empty(row)


@out_of_line
def shuffle_if_empty(row):
    """RC-07: shuffle as soon as the deck is empty and the discard pile is not."""
    if row.deck_size > 0:
        return
    for kind in range(KINDS):
        row.pool[kind] += row.discarded[kind]
        row.deck_size += row.discarded[kind]
        row.discarded[kind] = 0
    if row.deck_size > 0:
        note_new_deck(row)


def put_back(row, kind, number):
    """Cards go to the discard pile, or to their deck."""
    if kind < KINDS:
        row.discarded[kind] += number
    else:
        row.special_deck[kind - KINDS] += number


def discard_from_hand(row, seat, kind):
    """RC-43, RC-22: discard one card openly."""
    row.hand[seat, kind] -= 1
    row.cards_held[seat] -= 1
    put_back(row, kind, 1)
    note_open(row, seat, kind, 1)
    cap(row, seat)
    shuffle_if_empty(row)


def take_special(row, seat, kind, number):
    """RC-05: take special cards, at most as many as there are."""
    taken = min(number, row.special_deck[kind - KINDS])
    row.special_deck[kind - KINDS] -= taken
    row.hand[seat, kind] += taken
    row.cards_held[seat] += taken
    note_special(row, seat, kind, taken)


def drop_rats(row, seat, number):
    """RC-04."""
    row.rats[seat] -= min(number, row.rats[seat])


def begin_looks(row, seat, number):
    """RC-09: begin to look at ``number`` places."""
    row.doer = seat
    row.looks_left = number
    row.looked_now = 0


def ask_look(row):
    """RC-09."""
    row.phase = LOOK
    row.actor = row.doer


def look_at(row, place):
    """RC-09: chance draws the card, unless somebody has looked before."""
    row.place = place
    row.looks_left -= 1
    row.looked_now |= 1 << int(place)
    if row.nun[place] == NONE:
        row.phase = NUN
        row.actor = CHANCE
    else:
        row.phase = GO_ON
        note_look(row)


def uncover(row, kind):
    """Uncover a row card that nobody has seen."""
    row.nun[row.place] = kind
    if row.ran_out:
        row.sleeping[kind] -= 1
    else:
        row.pool[kind] -= 1
    row.phase = GO_ON


def note_look(row):
    """RC-71: whoever looked knows the card now."""
    seat = row.doer
    if not (row.looked[row.place] >> seat) & 1:
        row.looked[row.place] |= 1 << int(seat)
        note_nun(row, seat, row.nun[row.place])
