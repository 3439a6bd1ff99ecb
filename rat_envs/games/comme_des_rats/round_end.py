"""The end of a turn, of a round and of the game (CR-22 to CR-32, CR-56, CR-80 to CR-82)."""

from __future__ import annotations

from rat_envs.engine.game import TERMINAL
from rat_envs.games.comme_des_rats.components import (
    ALCHEMIST,
    CHEESE1,
    CHEESE2,
    CLOVER,
    OVER,
    cards_left,
    has_role,
    next_seat,
    piles,
    rats,
    stock_size,
)
from rat_envs.games.comme_des_rats.set_up import begin_round
from rat_envs.games.comme_des_rats.turn import begin_turn

ROUNDS = 3
POINTS_TO_END = 7
POINTS_FOR_SURVIVING = 2
EMPTY_PILES_TO_END = 2


def end_turn(row):
    """CR-22: the round ends, or the left neighbour is active (CR-11, CR-25)."""
    if not round_is_over(row):
        row.active = next_seat(row, row.active)
        begin_turn(row)
        return
    count_points(row)
    if game_is_over(row):
        row.phase = OVER
        row.actor = TERMINAL
        return
    if base_rounds_are_over(row):
        row.extra_rounds_played += 1
    else:
        row.rounds_played += 1
    row.active = next_seat(row, row.active)
    begin_round(row)


def round_is_over(row):
    """CR-22: a rat is out, or two piles are empty."""
    empty = 0
    for pile in range(piles(row)):
        empty += cards_left(row, pile) == 0
    if empty >= EMPTY_PILES_TO_END:
        return True
    for rat in range(rats(row)):
        if row.out[rat]:
            return True
    return False


def points_of_stock(row, rat):
    """CR-23; CR-56: one more for each of the Alchemist's clovers; a rat that is out has no stock."""
    points = row.stock[rat, CHEESE1] + 2 * row.stock[rat, CHEESE2]
    if has_role(row, rat, ALCHEMIST):
        points += row.stock[rat, CLOVER]
    return points


def count_points(row):
    """CR-23; CR-24: if nobody gets any, two for every rat that is not out."""
    given = 0
    for rat in range(rats(row)):
        points = points_of_stock(row, rat)
        row.points[rat] += points
        given += points
    if given == 0:
        for rat in range(rats(row)):
            row.points[rat] += 0 if row.out[rat] else POINTS_FOR_SURVIVING


def base_rounds_are_over(row):
    """CR-30: someone has seven points after the first or second round, or at least three rounds were played."""
    if row.rounds_played + 1 == ROUNDS or row.extra_rounds_played:
        return True
    for rat in range(rats(row)):
        if row.points[rat] >= POINTS_TO_END:
            return True
    return False


def game_is_over(row):
    """CR-30; CR-32: a tie may be settled by a further round."""
    return base_rounds_are_over(row) and (row.extra_rounds_played == row.config.extra_rounds or leaders(row) == 1)


def ranks_before(row, rat, other):
    """CR-31: more points, or equal points and more cards stored in the last round."""
    if row.points[rat] != row.points[other]:
        return row.points[rat] > row.points[other]
    return stock_size(row, rat) > stock_size(row, other)


def leads(row, rat):
    """Whether no rat ranks before this one."""
    for other in range(rats(row)):
        if ranks_before(row, other, rat):
            return False
    return True


def leaders(row):
    """How many rats share first place."""
    number = 0
    for rat in range(rats(row)):
        number += leads(row, rat)
    return number
