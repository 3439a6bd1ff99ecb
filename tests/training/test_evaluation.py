"""Evaluations while a run learns: when they happen, that they change nothing, and the curve that is drawn of them."""

from __future__ import annotations

import dataclasses

import numpy as np
from learners import LEARNERS, checkpoint, learnt

from rat_envs.solving.exploitability import exploitability
from rat_envs.training import evaluation
from rat_envs.training.folder import CURVE
from rat_envs.training.run import train


def evaluated(folder) -> list[tuple[int, list[str]]]:
    """After how many updates the run was evaluated, and against whom."""
    return [(each["updates"], sorted(each["returns"])) for each in checkpoint(folder)[0]["evaluations"]]


def test_a_run_with_evaluations_learns_the_same(learner, uninterrupted, tmp_path):
    result = train(learner.tiny(tmp_path, evaluations=3))
    assert evaluated(tmp_path) == [(updates, ["greedy", "random"]) for updates in (0, 2, 4, 6)]
    without = learnt(uninterrupted[0])
    assert {name: value for name, value in learnt(tmp_path).items() if name != "header"} == {
        name: value for name, value in without.items() if name != "header"
    }
    for name in result.agent.contents()[1]:
        np.testing.assert_array_equal(result.agent.contents()[1][name], uninterrupted[1].agent.contents()[1][name])


def test_the_history_goes_on_when_a_run_is_resumed(learner, tmp_path):
    train(learner.tiny(tmp_path / "whole", evaluations=3))
    train(learner.tiny(tmp_path, 3, evaluations=0))
    resumed = dataclasses.replace(learner.kind.saved(tmp_path), steps=learner.steps(6), evaluations=3)
    assert train(resumed).curve_path == tmp_path / CURVE
    assert [updates for updates, _ in evaluated(tmp_path)] == [3, 4, 6]
    whole, part = (checkpoint(folder)[0]["evaluations"] for folder in (tmp_path / "whole", tmp_path))
    assert part[1]["returns"] == whole[2]["returns"], "the same deals every time"


def test_the_curve_names_what_it_shows(learner, tmp_path):
    result = train(learner.tiny(tmp_path, evaluations=2))
    picture = result.curve_path.read_text(encoding="utf-8")
    assert picture.startswith("<?xml")
    for words in ("against random", "against greedy", "mean return", "steps of the learner", "training time"):
        assert words in picture
    assert train(learner.tiny(tmp_path / "none", 1)).curve_path is None


def test_exploitability_is_in_the_curve_where_it_is_exact(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluation, "EXACT_AFTER", 0.0)
    options = LEARNERS["ppo"].tiny(tmp_path, evaluations=1)
    fast = dataclasses.replace(options, config={"fast": True})
    result = train(fast)
    first, last = (each["exploitability"] for each in checkpoint(tmp_path)[0]["evaluations"])
    assert first == exploitability("brave_rats", result.untrained, {"fast": True}).exploitability
    assert last is None, "it may take a tenth of the time"
    picture = result.curve_path.read_text(encoding="utf-8")
    assert "exploitability" in picture


def test_exploitability_is_not_in_the_curve_of_a_game_with_hidden_hands(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluation, "EXACT_AFTER", 0.0)
    options = dataclasses.replace(LEARNERS["ppo"].tiny(tmp_path, evaluations=1), game="rattus", steps=64)
    train(options)
    assert all(each["exploitability"] is None for each in checkpoint(tmp_path)[0]["evaluations"])
