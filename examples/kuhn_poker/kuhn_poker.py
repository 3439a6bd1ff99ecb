"""Kuhn poker (Kuhn 1950), a whole game for rat_envs: one card each; check or bet, fold or call."""

import sys
from dataclasses import dataclass

import numpy as np

from rat_envs.engine import CHANCE, TERMINAL, Configuration, Game, Rules
from rat_envs.engine.configuration import integer
from rat_envs.engine.counts import fill
from rat_envs.engine.presets import Preset
from rat_envs.engine.random import draw_below

MOST_CARDS, MOST_MOVES = 13, 3
CHECK, BET, NOTHING = 0, 1, -1  # after a bet: fold, call


@dataclass(frozen=True)
class KuhnConfiguration(Configuration):
    """The one option: how many cards there are, of which each player gets one."""

    cards: int = integer(3, 3, MOST_CARDS, "how many cards there are, numbered from 1", "Kuhn 1950: 3")

    @property
    def players(self) -> int:
        return 2

    def hidden_information(self) -> str | None:
        return "the other player's card is hidden"


#: A whole game is one row: both cards (0 before they are dealt), and what was done so far.
CONFIGURATION = ("config", KuhnConfiguration.dtype())
STATE = np.dtype((np.record, [CONFIGURATION, ("card", "i1", (2,)), ("done", "i1", (MOST_MOVES,)), ("moves", "i1")]))
#: What a seat knows; the fields from ``cards`` on stay as they are through a game.
OBSERVATION = np.dtype((np.record, [("card", "i1"), ("done", "i1", (MOST_MOVES, 2)), ("cards", "i1")]))
NOTES = {
    "card": "the own card",
    "done": "what was done in each move: check or fold, and bet or call; both 0 before",
    "cards": "how many cards there are",
}
ACTIONS = ("check", "bet")
OUTCOMES = tuple(f"deal {card}" for card in range(1, MOST_CARDS + 1))


def setup(row):
    fill(row.done, NOTHING)


def actor(row):
    if row.card[1] == 0:
        return CHANCE
    answered = row.moves >= 2 and (row.done[row.moves - 2] == BET or row.done[row.moves - 1] == CHECK)
    return TERMINAL if answered else row.moves % 2


def legal(row, mask):
    fill(mask, 1)


def chance(row, weights):
    for card in range(row.config.cards):
        weights[card] = card + 1 != row.card[0]


def apply(row, action):
    if row.card[1] == 0:
        row.card[0 if row.card[0] == 0 else 1] = action + 1
    else:
        row.done[row.moves] = action
        row.moves += 1


def observe(row, seat, out):
    out.card = row.card[seat]
    for move in range(row.moves):
        out.done[move, row.done[move]] = 1


def observe_fixed(row, out):
    out.cards = row.config.cards


def returns(row, out):
    """Who calls or is called plays for two, else for one: scaled so that the most is 1."""
    winner = 0 if row.card[0] > row.card[1] else 1
    last = row.done[row.moves - 1]
    was_bet = row.done[row.moves - 2] == BET
    if was_bet and last == CHECK:
        winner = row.moves % 2  # the one who did not fold
    out[winner] = 1.0 if was_bet and last == BET else 0.5
    out[1 - winner] = -out[winner]


def scores(row, out):
    """The chips won or lost."""
    result = np.zeros(2, np.float32)
    returns(row, result)
    for seat in range(2):
        out[seat] = int(2 * result[seat])


def winners(row, out):
    scores(row, out)
    for seat in range(2):
        out[seat] = out[seat] > 0


def determinize(row, seat, stream):
    """The other card is any but the own one."""
    if row.card[1 - seat] > 0:
        card = draw_below(stream, row.config.cards - 1) + 1
        row.card[1 - seat] = card + (card >= row.card[seat])


def greedy(observation, mask):
    """Bet or call with the upper half of the cards."""
    return BET if 2 * observation.card > observation.cards else CHECK


def sees(event, seat):
    """What each seat sees: a card is shown only to its owner; everything else is open."""
    verb, _, card = event.notation.partition(" ")
    player = int(event.before.card[0] > 0) if verb == "deal" else event.actor
    name = "You" if player == seat else f"player_{player}"
    if verb == "deal":
        return [f"{name} got {card if player == seat else 'a card'}."]
    to_answer = event.before.moves > 0 and event.before.done[event.before.moves - 1] == BET
    return [f"{name} {('folded', 'called')[event.action] if to_answer else ('checked', 'bet')[event.action]}."]


GAME = Game(
    name="kuhn_poker",
    title="Kuhn poker",
    summary="One card each: bet on it, or let the other believe that you would.",
    configuration=KuhnConfiguration,
    state=STATE,
    observation=OBSERVATION,
    fixed_from="cards",
    observation_notes=NOTES,
    actions=ACTIONS,
    outcomes=OUTCOMES,
    seats=2,
    rules=Rules.of(sys.modules[__name__]),
    presets=(Preset("small", "the whole game"),),
    heuristics={"greedy": greedy},
    sees=sees,
)
