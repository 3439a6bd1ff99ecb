"""A toy game: chance lays out stones, players take one or two by turns, the last one wins.

What player_0 whispers first is hidden from the others until the end.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from rat_envs.engine.configuration import Configuration, choice, integer, switch
from rat_envs.engine.game import CHANCE, TERMINAL, Game, Node, Rules
from rat_envs.engine.random import draw_below


@dataclass(frozen=True)
class StonesConfiguration(Configuration):
    players: int = integer(3, 2, 4, "how many play", "S-1")
    lose: bool = switch(False, "who takes the last stone loses", "S-2")
    pile: str = choice("small", ("small", "large"), "how many stones there can be", "S-3")

    def hidden_information(self) -> str | None:
        return "player_0's whisper is hidden"


OBSERVATION = np.dtype((np.record, [("stones", "i1"), ("my_turn", "i1"), ("whisper", "i1"), ("lose", "i1")]))
STATE = np.dtype(
    (np.record, [("config", StonesConfiguration.dtype()), ("stones", "i1"), ("turn", "i1"), ("whisper", "i1")])
)
ACTIONS = ("take 1", "take 2", "whisper 1", "whisper 2", "whisper 3")
OUTCOMES = ("lay 5", "lay 6", "lay 7", "lay 12")


def setup(row):
    row.turn = -1


def actor(row):
    if row.stones == 0 and row.turn >= 0:
        return TERMINAL
    if row.turn < 0:
        return CHANCE
    return row.turn


def legal(row, mask):
    if row.whisper == 0:
        for word in range(3):
            mask[2 + word] = 1
        return
    mask[0] = 1
    mask[1] = row.stones >= 2


def chance(row, weights):
    if row.config.pile == 0:
        weights[0] = 1
        weights[1] = 2
        weights[2] = 3
    else:
        weights[3] = 1


def apply(row, action):
    if row.turn < 0:
        row.stones = 12 if action == 3 else 5 + action
        row.turn = 0
        return
    if action >= 2:
        row.whisper = action - 1
        return
    row.stones -= action + 1
    if row.stones > 0:
        row.turn = (row.turn + 1) % row.config.players


def observe(row, seat, out):
    out.stones = row.stones
    out.my_turn = row.turn == seat
    if seat == 0:
        out.whisper = row.whisper


def observe_fixed(row, out):
    out.lose = row.config.lose


def returns(row, out):
    others = row.config.players - 1
    for seat in range(row.config.players):
        value = 1 if seat == row.turn else -1 / others
        out[seat] = -value if row.config.lose else value


def scores(row, out):
    out[row.turn] = 1


def winners(row, out):
    for seat in range(row.config.players):
        out[seat] = (seat == row.turn) != row.config.lose


def tally(row, action, counts):
    if action < 2:
        counts[row.turn, 0] += action + 1


def determinize(row, seat, stream):
    if seat != 0 and row.whisper > 0:
        row.whisper = 1 + draw_below(stream, 3)


def simultaneous(row):
    return False


def public(row):
    pass


STONES = Game(
    name="stones",
    title="Stones",
    version=3,
    summary="A toy.",
    configuration=StonesConfiguration,
    state=STATE,
    observation=OBSERVATION,
    fixed_from="lose",
    observation_notes={"stones": "left", "my_turn": "1 if so", "whisper": "own word", "lose": "1 if so"},
    actions=ACTIONS,
    outcomes=OUTCOMES,
    nodes=(Node("chance", "lay N", "first"),),
    metrics={"stones taken": "all of a player"},
    seats=4,
    seat_actions=(),
    rules=Rules.of(sys.modules[__name__]),
    text=lambda row, seat: f"{row['stones']} stones",
    drawing=lambda row, seat: "<svg/>",
)
