"""BraveRats: play the card that wins most on average against what the opponent may play; keep the strongest card."""

from __future__ import annotations

from rat_envs.games.brave_rats.components import GENERAL, KINDS, SPY
from rat_envs.games.brave_rats.notation import KEEP_FIRST, PLAY_FIRST
from rat_envs.games.brave_rats.rounds import ON_HOLD, PRINCESS_WINS, WINNER, WORTH

#: Values in rounds: of the +2 or the Spy's look at the next card, and of winning the whole game.
NEXT_ROUND = 0.4
WHOLE_GAME = 4.0


def greedy(observation, mask):
    """The most promising legal action."""
    best = 0
    most = -1000.0
    for action in range(len(mask)):
        if mask[action]:
            promise = card_promise(observation, action - PLAY_FIRST) if action < KEEP_FIRST else action - KEEP_FIRST
            if promise > most:
                best, most = action, promise
    return best


def card_promise(observation, card):
    """The mean lead in rounds from playing ``card``, with every card the opponent may play equally likely."""
    total = 0.0
    number = 0
    revealed = False
    for other in range(KINDS):
        revealed = revealed or observation.opponent_revealed[other] > 0
    for other in range(KINDS):
        copies = observation.opponent_revealed[other] if revealed else observation.opponent_cards[other]
        if copies > 0:
            total += copies * round_lead(observation, card, other)
            number += copies
    return total / max(number, 1)


def round_lead(observation, card, other):
    """The lead in rounds that the round gives the owner of ``card`` over the owner of ``other``."""
    later = 0.0
    if card == GENERAL or card == SPY:
        later = NEXT_ROUND
    winner = WINNER[card, other, observation.plus_two[0], observation.plus_two[1]]
    if winner == ON_HOLD:
        return later
    if PRINCESS_WINS[card, other]:
        return WHOLE_GAME if winner == 0 else -WHOLE_GAME
    if winner == 0:
        return later + WORTH[card, other] + observation.rounds_on_hold[0]
    return later - WORTH[other, card] - observation.rounds_on_hold[1]
