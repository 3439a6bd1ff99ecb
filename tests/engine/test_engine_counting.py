"""Compiled code counts references to arrays where it makes some, and nowhere else; what it makes it frees."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from rat_envs.engine.compile import Specialiser, out_of_line
from rat_envs.engine.memory import blank
from rat_envs.engine.numba_parts import intrinsics

SQUARES = np.dtype((np.record, [("values", "f8", (5,))]))


def squares(number):
    values = np.zeros(number)
    for k in range(number):
        values[k] = k * k
    return values


def sum_of_squares(number):
    return squares(number).sum()


@out_of_line
def write_sum(number, out):
    out[0] = sum_of_squares(number)


def show_sum(number, out):
    write_sum(number, out)
    return number


def count_up(number, out):
    for k in range(number):
        out[0] += k
    return number


def write_squares(out):
    for k in range(len(out)):
        out[k] += k * k


def if_many(number):
    return np.zeros(number) if number > 3 else None


def use_if_many(number):
    return number if if_many(number) is None else 0


def same(values):
    return values


def both(values):
    return values, 1


def hand_on(number, out):
    return len(same(out)) + number


def sum_without_array(times):
    total = 0.0
    for _ in range(times):
        room = blank(SQUARES).values
        write_squares(room)
        total += room.sum()
    return total


def specialiser(tmp_path, compiled: bool = True) -> Specialiser:
    return Specialiser({}, intrinsics() if compiled else {}, lambda sources: tmp_path, compiled, "squares")


@pytest.mark.parametrize(
    ("function", "counts"),
    [
        (squares, True),
        (sum_of_squares, True),
        (write_sum, True),
        (show_sum, False),
        (count_up, False),
        (if_many, True),
        (use_if_many, True),
    ],
)
def test_only_what_makes_arrays_counts_references(function, counts, tmp_path):
    assert specialiser(tmp_path)(function).targetoptions["_nrt"] is counts


@pytest.mark.parametrize("compiled", [True, False])
def test_results_are_the_same_with_and_without_counting(compiled, tmp_path):
    make, out = specialiser(tmp_path, compiled), np.zeros(1)
    assert make(show_sum)(5, out) == 5
    assert out[0] == 30
    assert make(count_up)(5, out) == 5
    assert out[0] == 40


@pytest.mark.parametrize("function", [same, both])
def test_what_counts_nothing_returns_no_arrays(function, tmp_path):
    with pytest.raises(TypeError, match=f"^{function.__name__} returns an array"):
        specialiser(tmp_path)(function)(np.zeros(3))


def test_what_counts_nothing_is_returned_no_arrays(tmp_path):
    with pytest.raises(Exception, match="same returns an array"):
        specialiser(tmp_path)(hand_on)(3, np.zeros(3))


@pytest.mark.parametrize("compiled", [True, False])
def test_a_blank_record_is_blank_every_time(compiled, tmp_path):
    assert specialiser(tmp_path, compiled)(sum_without_array)(3) == 90


PLAY = """
import numpy as np
from numba.core.runtime import rtsys
from rat_envs.agents.search import SearchAgent, SearchOptions
from rat_envs.solving.game_tree import build_game_tree
from rat_envs.api.seats import SeatViews
from rat_envs.engine import Batch
from rat_envs.engine.registry import all_games

def left():
    stats = rtsys.get_allocation_stats()
    return stats.alloc - stats.free

for game in all_games().values():
    batch = Batch(game, 1, seed=0)
    agent = SearchAgent(SearchOptions(sims=40, rollout="greedy"), seed=0)
    before = []
    for _ in range(3):
        agent.policy_batch(SeatViews(batch))
        build_game_tree(game.preset("small").position(game))
        before.append(left())
    assert before[1] == before[2], (game.name, before)
print("made and freed", rtsys.get_allocation_stats().alloc)
"""


def test_what_compiled_code_makes_it_frees():
    environment = {**os.environ, "NUMBA_NRT_STATS": "1"}
    result = subprocess.run([sys.executable, "-c", PLAY], env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert int(result.stdout.split()[-1]) > 1000  # the statistics are on
