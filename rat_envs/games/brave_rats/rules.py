"""BraveRats under the engine's contract: set-up, acting seat, legal actions, what an action does, result."""

from __future__ import annotations

from rat_envs.engine.counts import total
from rat_envs.engine.game import CHANCE, TERMINAL
from rat_envs.engine.seats import share_out
from rat_envs.games.brave_rats.components import (
    DEAL,
    DRAW,
    GIVE,
    KEEP,
    KINDS,
    NO_CARD,
    NO_SEAT,
    OVER,
    PLAY,
    PRINCES,
    REVEAL,
)
from rat_envs.games.brave_rats.configuration import GAMES_TO_WIN, MOST_GAMES
from rat_envs.games.brave_rats.determinization import determinize
from rat_envs.games.brave_rats.notation import (
    DEAL_FIRST,
    DRAW_FIRST,
    GIVE_FIRST,
    KEEP_FIRST,
    PLAY_FIRST,
    PRINCES_FIRST,
    REVEAL_FIRST,
)
from rat_envs.games.brave_rats.observation import observe, observe_fixed
from rat_envs.games.brave_rats.possible import possible
from rat_envs.games.brave_rats.rounds import begin_round, rounds_needed, settle_round
from rat_envs.games.brave_rats.set_up import (
    begin_game,
    deal_card,
    draw_card,
    drawer,
    give_card,
    give_princes,
    giver,
    keep_card,
    needs_draw,
    reveal_card,
)

__all__ = [
    "actor",
    "answering",
    "apply",
    "chance",
    "determinize",
    "legal",
    "observe",
    "observe_fixed",
    "possible",
    "public",
    "returns",
    "scores",
    "setup",
    "simultaneous",
    "winners",
]


def setup(row):
    """Set up the first game of the match."""
    begin_game(row)


def actor(row):
    """The acting seat, ``CHANCE`` or ``TERMINAL``."""
    return row.actor


def legal(row, mask):
    """Every kind of card in hand, or in the packet of a draft."""
    if row.phase == KEEP:
        for card in range(KINDS):
            mask[KEEP_FIRST + card] = row.packet[card] > 0
    elif row.phase == PLAY:
        for card in range(KINDS):
            mask[PLAY_FIRST + card] = row.hand[row.actor, card] > 0


def chance(row, weights):
    """Weights are counts of cards."""
    if row.phase == DEAL:
        weigh(weights, DEAL_FIRST, row.undealt)
    elif row.phase == REVEAL:
        weigh(weights, REVEAL_FIRST, row.undealt)
    elif row.phase == GIVE:
        weigh(weights, GIVE_FIRST, row.hand[giver(row)])
    elif row.phase == DRAW:
        weigh(weights, DRAW_FIRST, row.pile[drawer(row)])
    elif row.phase == PRINCES:
        weights[PRINCES_FIRST] = 1
        weights[PRINCES_FIRST + 1] = 1


def weigh(weights, first, counts):
    """Weight every copy of a card equally, for the outcomes that begin at number ``first``."""
    for card in range(KINDS):
        weights[first + card] = counts[card]


def apply(row, action):
    """Apply one action of a player or one outcome of chance."""
    if row.phase == PLAY:
        play_card(row, action - PLAY_FIRST)
    elif row.phase == KEEP:
        keep_card(row, action - KEEP_FIRST)
    elif row.phase == DEAL:
        deal_card(row, action - DEAL_FIRST)
    elif row.phase == REVEAL:
        reveal_card(row, action - REVEAL_FIRST)
    elif row.phase == GIVE:
        give_card(row, action - GIVE_FIRST)
    elif row.phase == DRAW:
        draw_card(row, action - DRAW_FIRST)
    else:
        give_princes(row, action - PRINCES_FIRST)


def play_card(row, card):
    """BR-01: choose a card; when both have, the round is settled and the next begins, or the game ends."""
    row.chosen[row.actor] = card
    if row.chosen[1 - row.actor] == NO_CARD:
        row.actor = 1 - row.actor
        return
    settle_round(row)
    needed = rounds_needed(row)
    won = row.rounds_won[0] >= needed or row.rounds_won[1] >= needed
    if won or total(row.hand[0]) + total(row.pile[0]) == 0:
        end_game(row)
    elif needs_draw(row):
        row.phase = DRAW
        row.actor = CHANCE
    else:
        begin_round(row)


def end_game(row):
    """BR-04; under BR-26 the next game begins, unless a player has won two or three are played."""
    for seat in range(2):
        row.games_won[seat] += row.rounds_won[seat] >= rounds_needed(row)
    row.games_played += 1
    match_won = row.games_won[0] == GAMES_TO_WIN or row.games_won[1] == GAMES_TO_WIN
    if row.config.emperor and not match_won and row.games_played < MOST_GAMES:
        begin_game(row)
    else:
        row.phase = OVER
        row.actor = TERMINAL


def returns(row, out):
    """+1 and −1, or 0 and 0 for a draw."""
    winners(row, out)
    share_out(out, 2)


def winners(row, out):
    """The winner of more games; nobody in a draw."""
    for seat in range(2):
        out[seat] = row.games_won[seat] > row.games_won[1 - seat]


def scores(row, out):
    """Rounds won in the last game; games won under ``emperor``."""
    for seat in range(2):
        out[seat] = row.games_won[seat] if row.config.emperor else row.rounds_won[seat]


def simultaneous(row):
    """BR-30: a card chosen first in a round stays unseen until the other has chosen, except after a Spy."""
    return row.phase == PLAY and row.spied == NO_SEAT and row.chosen[0] == NO_CARD


def answering(row):
    """BR-12: the player of the Spy chooses second, with the other card already revealed."""
    return row.phase == PLAY and row.spied != NO_SEAT and row.chosen[row.spied] != NO_CARD


def public(row):
    """Take back player_0's card while player_1 has not chosen."""
    if row.phase == PLAY and row.spied == NO_SEAT:
        row.chosen[0] = NO_CARD
        row.actor = 0
