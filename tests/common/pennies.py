"""Matching pennies: one choice each, at once, and then it is over. Whoever is to act sees nothing that ever varies."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from rat_envs.engine.configuration import Configuration, switch
from rat_envs.engine.game import TERMINAL, Game, Rules
from rat_envs.engine.random import draw_below


@dataclass(frozen=True)
class PenniesConfiguration(Configuration):
    unused: bool = switch(False, "nothing", "P-1")

    @property
    def players(self) -> int:
        return 2

    def hidden_information(self) -> str | None:
        return None


def setup(row):
    pass


def actor(row):
    return TERMINAL if row.done == 2 else row.done


def legal(row, mask):
    mask[0] = mask[1] = 1


def chance(row, weights):
    pass


def apply(row, action):
    if row.done == 0:
        row.first = action + 1
    else:
        row.second = action + 1
    row.done += 1


def observe(row, seat, out):
    pass


def returns(row, out):
    value = 1 if row.first == row.second else -1
    out[0] = value
    out[1] = -value


def scores(row, out):
    out[0] = row.first == row.second
    out[1] = row.first != row.second


def winners(row, out):
    out[0] = row.first == row.second
    out[1] = row.first != row.second


def determinize(row, seat, stream):
    if row.done == 1 and seat == 1:
        row.first = 1 + draw_below(stream, 2)


def simultaneous(row):
    return row.done == 0


def public(row):
    if row.done == 1:
        row.first = 0
        row.done = 0


PENNIES = Game(
    name="pennies",
    title="Pennies",
    version=0,
    summary="A toy.",
    configuration=PenniesConfiguration,
    state=np.dtype(
        (np.record, [("config", PenniesConfiguration.dtype()), ("first", "i1"), ("second", "i1"), ("done", "i1")])
    ),
    observation=np.dtype((np.record, [("nothing", "i1")])),
    actions=("heads", "tails"),
    outcomes=(),
    seats=2,
    rules=Rules.of(sys.modules[__name__]),
)
