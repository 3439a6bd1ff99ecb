"""The benchmark of learners: it measures what it says, with the learners as they are now."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytest.importorskip("sb3_contrib")

from learners import LEARNERS

from rat_envs.benchmarks import learning
from rat_envs.benchmarks.learning import measure_learning, time_in_network
from rat_envs.engine.registry import get_game


def test_the_time_in_the_network_is_that_of_asking_and_fitting(tmp_path, monkeypatch):
    clock = [0]
    monkeypatch.setattr(learning, "time", SimpleNamespace(process_time=lambda: clock[0]))

    def slow(where, name, seconds):
        work, calls = getattr(where, name), []

        def work_slowly(*given):
            clock[0] += seconds
            calls.append(name)
            return work(*given)

        monkeypatch.setattr(where, name, work_slowly)
        return calls

    run = LEARNERS["ppo"].tiny(tmp_path, 50.0).new_run()
    played = slow(run.games, "step", 1)
    asked, fitted = slow(run.model, "choose", 1000), slow(run.descent, "step", 1_000_000)
    whole, inside = time_in_network(run)
    assert (len(played), len(asked), len(fitted) >= 2) == (run.options.steps_per_update, len(played), True)
    assert inside == 1000 * len(asked) + 1_000_000 * len(fitted) == whole - len(played)
    assert not {"ask", "descend"} & vars(run).keys(), "the run is as it was"


def test_a_row_says_how_many_times_as_fast_our_learner_is():
    rows = measure_learning([get_game("brave_rats")], 0.01)
    assert [row.beside for row in rows] == ["MaskablePPO as it learns the game", "the network alone, asked and fitted"]
    assert rows[0].ratio > 1 and 0 < rows[1].ratio < 1 and rows[0].value == rows[1].value > 0
