"""The end: points, the plague, and who wins (RC-60 to RC-67)."""

from __future__ import annotations

from rat_envs.engine.compile import out_of_line
from rat_envs.games.rattus_cartus.components import (
    ALL_KINDS,
    FLUTE,
    GOLD,
    JOKER,
    KINDS,
    PASS,
    SWORD,
    nuns_on,
    popular,
    seats,
)
from rat_envs.games.rattus_cartus.set_up import special_copies
from rat_envs.games.rattus_cartus.tables import CLASSES

#: Points for the ranks of a track (RC-60), for a majority (RC-61), and for gold (RC-63).
PRIZES = (10, 5, 2)
MAJORITY, SHARED_MAJORITY = 2, 1
MOST_GOLD, SECOND_GOLD = 6, 3
#: A number above any number of rats; and the standing of the dead, below every other.
MORE_THAN_RATS = 1 << 16
DEAD = -MORE_THAN_RATS


def open_hands(row):
    """RC-71: at the end hands lie open."""
    for seat in range(seats(row)):
        for other in range(seats(row)):
            if other != seat:
                for kind in range(ALL_KINDS):
                    row.at_least[seat, other, kind] = row.hand[other, kind]
                    if kind >= KINDS:
                        row.at_most[seat, other, kind - KINDS] = row.hand[other, kind]


@out_of_line
def points_of(row, seat):
    """RC-60 to RC-64."""
    points = int(row.points[seat])
    for track in range(len(CLASSES)):
        points += track_points(row, track, seat)
    for kind in (JOKER, SWORD, FLUTE, PASS):
        points += majority_points(row, seat, kind)
    return points + gold_points(row, seat)


def track_points(row, track, seat):
    """RC-60; RC-32: among equals the disc below ranks better."""
    own = row.influence[track, seat]
    if own == 0:
        return 0
    ahead = 0
    for other in range(seats(row)):
        theirs = row.influence[track, other]
        ahead += theirs > own or (theirs == own and row.rank[track, other] < row.rank[track, seat])
    prizes = 2 if seats(row) == 2 else len(PRIZES)
    return PRIZES[ahead] if ahead < prizes else 0


def held(row, seat, kind):
    """Cards in hand that count for a majority: for jokers, population cards too (RC-61)."""
    return popular(row.hand[seat]) if kind == JOKER else row.hand[seat, kind]


def majority_points(row, seat, kind):
    """RC-61, RC-62."""
    own = held(row, seat, kind)
    if own == 0:
        return 0
    tied = 0
    for other in range(seats(row)):
        theirs = held(row, other, kind)
        if theirs > own:
            return 0
        tied += theirs == own
    return MAJORITY if tied == 1 else SHARED_MAJORITY


def gold_points(row, seat):
    """RC-63."""
    own = row.hand[seat, GOLD]
    if own == 0 or special_copies(row, GOLD) == 0:
        return 0
    more = 0
    tied = 0
    for other in range(seats(row)):
        more += row.hand[other, GOLD] > own
        tied += row.hand[other, GOLD] == own
    if more == 0:
        return MOST_GOLD if tied == 1 else (MOST_GOLD + SECOND_GOLD) // tied
    if more == 1 and seats(row) > 2:
        return SECOND_GOLD // tied
    return 0


def nuns_in_row(row):
    """RC-65."""
    number = 0
    for place in range(len(row.nun)):
        number += nuns_on(row.nun[place])
    return number


def rats_survived(row):
    """RC-65: the most rats that a player survives; RC-67: with the variant, at least the fewest rats of any player."""
    bound = nuns_in_row(row)
    if row.config.fewest_rats_survive:
        fewest = row.rats[0]
        for seat in range(seats(row)):
            fewest = min(fewest, row.rats[seat])
        bound = max(bound, fewest)
    return bound


def standing(row, seat):
    """RC-66: points, then fewest rats, as one number, higher is better; ``DEAD`` for a seat that does not survive."""
    if row.rats[seat] > rats_survived(row):
        return DEAD
    return points_of(row, seat) * MORE_THAN_RATS - int(row.rats[seat])


@out_of_line
def find_eliminated(row, out):
    """RC-65."""
    for seat in range(seats(row)):
        out[seat] = standing(row, seat) == DEAD


@out_of_line
def find_winners(row, out):
    """RC-65, RC-66."""
    best = DEAD
    for seat in range(seats(row)):
        best = max(best, standing(row, seat))
    for seat in range(seats(row)):
        out[seat] = best > DEAD and standing(row, seat) == best
