"""Kuhn's poker (Kuhn 1950), whose equilibria are known: three cards, one each; check or bet, fold or call.

It is declared with as little as a game can have.

Its value to player_0 is −1/18; player_1's equilibrium bets with a third of its lowest cards and calls with a third of
its middle ones.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from rat_envs.engine.configuration import Configuration, switch
from rat_envs.engine.game import CHANCE, TERMINAL, Game, Rules
from rat_envs.engine.random import draw_below


@dataclass(frozen=True)
class KuhnConfiguration(Configuration):
    unused: bool = switch(False, "nothing", "K-1")

    @property
    def players(self) -> int:
        return 2

    def hidden_information(self) -> str | None:
        return "cards are hidden"


STATE = np.dtype(
    (np.record, [("config", KuhnConfiguration.dtype()), ("card", "i1", (2,)), ("moves", "i1"), ("bets", "i1", (3,))])
)
OBSERVATION = np.dtype((np.record, [("card", "i1"), ("moves", "i1"), ("bets", "i1", (3,))]))
ACTIONS = ("pass", "bet")
OUTCOMES = ("deal 1", "deal 2", "deal 3")


def setup(row):
    pass


def actor(row):
    if row.card[1] == 0:
        return CHANCE
    over = row.moves == 3 or (row.moves == 2 and not (row.bets[0] == 0 and row.bets[1] == 1))
    return TERMINAL if over else row.moves % 2


def legal(row, mask):
    mask[0] = 1
    mask[1] = 1


def chance(row, weights):
    for card in range(3):
        weights[card] = row.card[0] != card + 1


def apply(row, action):
    if row.card[0] == 0:
        row.card[0] = action + 1
    elif row.card[1] == 0:
        row.card[1] = action + 1
    else:
        row.bets[row.moves] = action
        row.moves += 1


def observe(row, seat, out):
    out.card = row.card[seat]
    out.moves = row.moves
    for move in range(3):
        out.bets[move] = row.bets[move]


def returns(row, out):
    best = 0 if row.card[0] > row.card[1] else 1
    stake = 1
    if row.moves == 2 and row.bets[0] == 1:
        best = best if row.bets[1] == 1 else 0
        stake = 1 + row.bets[1]
    elif row.moves == 3:
        best = best if row.bets[2] == 1 else 1
        stake = 1 + row.bets[2]
    out[best] = stake
    out[1 - best] = -stake


def scores(row, out):
    for seat in range(2):
        out[seat] = row.card[seat]


def winners(row, out):
    pass


def determinize(row, seat, stream):
    if row.card[1 - seat] > 0:
        row.card[1 - seat] = 1 + draw_below(stream, 2)
        if row.card[1 - seat] >= row.card[seat]:
            row.card[1 - seat] += 1


def greedy(observation, mask):
    return 1 if observation.card == 3 else 0


KUHN = Game(
    name="kuhn",
    title="Kuhn poker",
    configuration=KuhnConfiguration,
    state=STATE,
    observation=OBSERVATION,
    actions=ACTIONS,
    outcomes=OUTCOMES,
    seats=2,
    rules=Rules.of(sys.modules[__name__]),
    heuristics={"greedy": greedy},
)
