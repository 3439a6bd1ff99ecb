"""Trees of public states of a game from outside: what is too deep, too large or endless is refused in a sentence."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
import pytest

from rat_envs.commands.exact import without_common_word
from rat_envs.engine.configuration import Configuration, integer, switch
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.game import TERMINAL, Game, Rules
from rat_envs.solving.equilibrium import find_equilibrium
from rat_envs.solving.public_tree import DEEPEST, build_tree


@dataclass(frozen=True)
class RaceConfiguration(Configuration):
    laps: int = integer(1, 1, 100, "how many times 20 steps", "R-1")
    turns_back: bool = switch(False, "whether one may step back", "R-2")

    @property
    def players(self) -> int:
        return 2

    def hidden_information(self) -> str | None:
        return None


STATE = np.dtype((np.record, [("config", RaceConfiguration.dtype()), ("at", "i2"), ("turn", "i1")]))
OBSERVATION = np.dtype((np.record, [("low", "i1"), ("high", "i1"), ("turn", "i1")]))
ACTIONS = ("step", "leap")


def setup(row):
    pass


def actor(row):
    return TERMINAL if row.at >= np.int16(20) * row.config.laps else row.turn


def legal(row, mask):
    mask[:] = 1


def chance(row, weights):
    pass


def apply(row, action):
    row.at += -1 if row.config.turns_back and action == 0 and row.at > 0 else 1 + action
    row.turn = 1 - row.turn


def observe(row, seat, out):
    out.low = row.at % 100
    out.high = row.at // 100
    out.turn = (row.turn - seat) % 2


def returns(row, out):
    """Whoever goes first over the line has won; with more room than players, as many games have it."""
    out[1 - row.turn] = 1
    out[row.turn] = -1
    out[4] = 0


def scores(row, out):
    out[1 - row.turn] = 1


def winners(row, out):
    out[1 - row.turn] = 1


def determinize(row, seat, stream):
    pass


RACE = Game(
    name="race",
    title="Race",
    configuration=RaceConfiguration,
    state=STATE,
    observation=OBSERVATION,
    actions=ACTIONS,
    outcomes=(),
    seats=5,
    rules=Rules.of(sys.modules[__name__]),
)


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    """Where an index out of bounds is an error."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


def test_it_is_solved_whatever_room_there_is_for_returns():
    """Who can leave a multiple of three steps wins, and 20 is none."""
    assert find_equilibrium(RACE, RaceConfiguration()).value == 1


@pytest.mark.parametrize("options", [{"laps": 60}, {"turns_back": True}])
def test_what_is_too_deep_or_endless_is_refused(options):
    message = f"race is not solved: more than {DEEPEST:,} nodes follow each other, or a position comes again"
    for _ in range(2):
        with pytest.raises(ConfigurationError, match=message):
            build_tree(RACE, RaceConfiguration(**options))


def test_what_is_too_large_is_refused_and_built_where_more_is_allowed():
    for most in (5, 20):
        with pytest.raises(ConfigurationError, match=f"race has more than {most} public states with these options"):
            build_tree(RACE, RaceConfiguration(laps=2), most)
    assert len(build_tree(RACE, RaceConfiguration(laps=2), 1000).nodes) < 100


def test_a_word_that_all_actions_have_is_left_out_and_no_other():
    assert without_common_word({"play spy": 0.5, "play prince": 0.5}) == {"spy": 0.5, "prince": 0.5}
    for shares in ({"no coins": 0.5, "one coins": 0.5}, {"call": 0.4, "call again": 0.6}):
        assert without_common_word(shares) == shares
