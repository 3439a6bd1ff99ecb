"""A turn up to the sharing of the dice: roll, talk, Al Ratone, partner (CR-06 to CR-08, CR-40, CR-52, CR-61, CR-62)."""

from __future__ import annotations

from rat_envs.engine.game import CHANCE
from rat_envs.games.comme_des_rats.components import (
    AL_RATONE,
    BANDAGES_TO_BE_OUT,
    CHOOSE_DIE,
    CLAIM,
    GO_ON,
    HEAL,
    KEEP_DICE,
    NO_DIE,
    NONE,
    PARTNER,
    REROLL,
    REVEAL,
    ROLL,
    TALK,
    has_role,
    is_third_rat,
    next_seat,
    rats,
    seats,
)
from rat_envs.games.comme_des_rats.configuration import THIRD_RAT_CARDS
from rat_envs.games.comme_des_rats.notation import ROLLS


def begin_turn(row):
    """CR-06: the active seat rolls."""
    clear_turn(row)
    row.phase = ROLL
    row.actor = CHANCE


def clear_turn(row):
    """CR-11, CR-41: clear what happened in the last turn."""
    for number in range(2):
        row.first_roll[number] = NONE
        row.dice[number] = NONE
        row.kept[number] = NONE
    for rat in range(rats(row)):
        row.statement[rat] = NONE
        row.visited[rat] = 0
    row.rerolled = 0
    row.partner = NONE
    row.third_rat_card = NONE
    row.die = NO_DIE
    forget_die(row)


def forget_die(row):
    """No die is being resolved."""
    row.rat = NONE
    row.decider = NONE
    row.pile_searched = NONE
    row.draws_left = 0
    row.robbed = NONE
    row.aimed_at = NONE
    row.bandaged = NONE
    row.thief_is_due = 0
    row.fool_is_due = 0
    row.fool_bandages = 0


def roll_dice(row, roll):
    """CR-06: the first roll can be repeated, the second stands."""
    for number in range(2):
        row.dice[number] = ROLLS[roll, number]
    if row.phase == REROLL:
        row.rerolled = 1
        dice_are_final(row)
        return
    for number in range(2):
        row.first_roll[number] = row.dice[number]
    row.phase = KEEP_DICE
    row.actor = row.active


def ask_reroll(row):
    """CR-06: roll both dice again."""
    row.phase = REROLL
    row.actor = CHANCE


def dice_are_final(row):
    """CR-40: talk comes next, if the option is on."""
    if row.config.talk:
        row.phase = TALK
        row.actor = next_seat(row, row.active)
    else:
        ask_al_ratone(row)


def make_statement(row, statement):
    """CR-40: clockwise, up to the active seat's right neighbour."""
    row.statement[row.actor] = statement
    row.actor = next_seat(row, row.actor)
    if row.actor == row.active:
        ask_al_ratone(row)


def third_rat_is_free(row):
    """CR-61: it can be partner while one of its cards has not been shown."""
    if seats(row) != 2:
        return False
    shown = 0
    for card in range(THIRD_RAT_CARDS):
        shown += row.third_rat_shown[card]
    return shown < THIRD_RAT_CARDS


def ask_al_ratone(row):
    """CR-52: his window, unless he is active or would be partner anyway."""
    if row.config.roles and (seats(row) > 2 or third_rat_is_free(row)):
        for seat in range(seats(row)):
            if seat != row.active and has_role(row, seat, AL_RATONE):
                row.phase = CLAIM
                row.actor = seat
                return
    ask_partner(row)


def claim_dice(row):
    """CR-52: Al Ratone shows his card and is partner."""
    row.role_shown[row.actor] = 1
    choose_partner(row, row.actor)


def ask_partner(row):
    """CR-07, CR-61: no choice if only one partner is possible."""
    if seats(row) == 2 and not third_rat_is_free(row):
        choose_partner(row, next_seat(row, row.active))
        return
    row.phase = PARTNER
    row.actor = row.active


def choose_partner(row, rat):
    """CR-08, CR-62: the partner keeps a die; no choice if both show the same."""
    row.partner = rat
    if is_third_rat(row, rat):
        row.phase = REVEAL
        row.actor = CHANCE
    elif row.dice[0] == row.dice[1]:
        keep_die(row, row.dice[0])
    else:
        row.phase = CHOOSE_DIE
        row.actor = rat


def keep_die(row, face):
    """CR-08: the partner keeps ``face``, the active seat gets the other die."""
    other = row.dice[1] if row.dice[0] == face else row.dice[0]
    row.kept[0] = face
    row.kept[1] = other
    row.phase = GO_ON


def show_third_rat_card(row, card):
    """CR-62: it keeps the die that its card ranks first; with two bandages it prefers healing."""
    row.third_rat_shown[card] = 1
    row.third_rat_card = card
    first = row.dice[0]
    second = row.dice[1]
    keeps_second = row.config.third_rat[card, second] < row.config.third_rat[card, first]
    if row.bandages[row.partner] == BANDAGES_TO_BE_OUT - 1 and (first == HEAL or second == HEAL):
        keeps_second = second == HEAL
    keep_die(row, second if keeps_second else first)
