"""The benchmark of learners: it measures what it says, with the learners as they are now."""

from __future__ import annotations

import pytest

pytest.importorskip("sb3_contrib")

from learners import LEARNERS

from rat_envs.benchmarks.learning import measure_learning, time_in_network
from rat_envs.engine.registry import get_game


def test_the_network_is_asked_and_fitted_as_in_an_update(tmp_path):
    run = LEARNERS["ppo"].tiny(tmp_path, 50.0).new_run()
    run.update()
    asked, fitted = [], []
    run.ask, ask = lambda *given: asked.append(len(given[1])) or ask(*given), run.ask
    run.descent.step, step = lambda gradient: fitted.append(len(gradient)) or step(gradient), run.descent.step
    whole, inside = time_in_network(run)
    assert whole > 0 and inside > 0
    half = len(asked) // 2, len(fitted) // 2
    assert asked[: half[0]] == asked[half[0] :] and sum(asked) > 0
    assert fitted[: half[1]] == fitted[half[1] :] and len(fitted) >= 2


def test_a_row_says_how_many_times_as_fast_our_learner_is():
    rows = measure_learning([get_game("brave_rats")], 0.01)
    assert [row.beside for row in rows] == ["MaskablePPO as it learns the game", "the network alone, asked and fitted"]
    assert rows[0].ratio > 1 and 0 < rows[1].ratio < 1.5 and rows[0].value == rows[1].value > 0
