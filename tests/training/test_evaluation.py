"""Evaluations while a run learns: when they happen, that they change nothing, and the curve that is drawn of them."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pytest
from learners import LEARNERS, checkpoint, learnt
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from rat_envs.commands.train import measure
from rat_envs.engine.registry import get_game
from rat_envs.solving.exploitability import exploitability
from rat_envs.solving.public_tree import _kept_tree
from rat_envs.training import evaluation
from rat_envs.training.curve import learning_curve
from rat_envs.training.evaluation import Evaluation
from rat_envs.training.folder import CURVE, CURVE_DATA, TENSORBOARD
from rat_envs.training.run import train

PAGE = Path(__file__).parents[2] / "docs" / "learners.md"


def logged(folder) -> dict[str, list[int]]:
    """The steps at which each number was logged, as TensorBoard shows them."""
    log = EventAccumulator(str(folder / TENSORBOARD), size_guidance={"scalars": 0}).Reload()
    return {tag: [event.step for event in log.Scalars(tag)] for tag in log.Tags()["scalars"]}


def documented(learner: str) -> set[str]:
    """The tags that the page has for a learner, opponents by name."""
    rows = re.findall(r"^\| ((?:`\w+/\w+`(?:, )?)+) \| ([^|]*) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    tags = [
        tag for tags, learners in rows if learners == "all" or f"`{learner}`" in learners for tag in tags.split(", ")
    ]
    return {tag.strip("`") for tag in tags}


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


def test_names_with_dollar_signs_are_drawn_as_they_are():
    evaluations = [Evaluation(step, step, step, {"$\\rat$.py:Rat": (0.0, -1.0, 1.0)}) for step in range(2)]
    assert "against $\\rat$.py:Rat" in learning_curve(evaluations, "$\\rat$").decode()


def test_the_curve_is_there_as_numbers_too(learner, tmp_path):
    train(learner.tiny(tmp_path, evaluations=2))
    rows = json.loads((tmp_path / CURVE_DATA).read_text(encoding="utf-8"))
    kept = checkpoint(tmp_path)[0]["evaluations"]
    assert [row["steps"] for row in rows] == [each["steps"] for each in kept for _ in each["returns"]]
    assert [row["opponent"] for row in rows[:2]] == ["random", "greedy"]
    for row in rows:
        assert row["low"] <= row["mean_return"] <= row["high"] and row["exploitability"] is None
    train(learner.tiny(tmp_path / "none", 1))
    assert not (tmp_path / "none" / CURVE_DATA).exists()


def test_what_is_logged_for_tensorboard_is_documented(learner, tmp_path, monkeypatch):
    monkeypatch.setattr(evaluation, "EXACT_AFTER", 0.0)
    options = learner.tiny(tmp_path, 6, tensorboard=True, evaluations=1, config={"fast": True})
    if hasattr(options, "teacher"):
        options = dataclasses.replace(options, teacher="random", teacher_steps=learner.steps(2))
    train(options)
    found = {re.sub(r"(?<=^evaluation/return_against_)\w+", "NAME", tag) for tag in logged(tmp_path)}
    found = {re.sub(r"(?<=^games/return_against_)\w+", "NAME", tag) for tag in found}
    assert found == documented(options.LEARNER)


@pytest.mark.parametrize("updates", [1, 3])
def test_the_log_of_a_run_that_was_killed_goes_on_from_its_checkpoint(learner, updates, tmp_path):
    def die(report):
        if report.updates == updates:
            raise ArithmeticError  # nothing is saved after it, as where the process is killed

    options = learner.tiny(tmp_path, tensorboard=True, evaluations=6)
    with pytest.raises(ArithmeticError):
        train(options, die)
    assert max(map(max, logged(tmp_path).values())) == learner.steps(updates)
    train(dataclasses.replace(options, resume=True))
    for tag, steps in logged(tmp_path).items():
        assert steps == sorted(set(steps)), tag
    for tag, first in (("time/seconds", 1), ("evaluation/return_against_random", 0)):
        assert logged(tmp_path)[tag] == [learner.steps(number) for number in range(first, 7)]


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
    rows = json.loads((tmp_path / CURVE_DATA).read_text(encoding="utf-8"))
    assert [row["exploitability"] for row in rows] == [first, first, None, None]


def test_a_game_too_large_to_be_measured_soon_is_learnt_without_exploitability(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(evaluation, "EXACT_AFTER", 0.0)
    monkeypatch.setattr("rat_envs.solving.exploitability.MOST_UNASKED", 1000)
    options = dataclasses.replace(LEARNERS["ppo"].tiny(tmp_path, evaluations=1), config={"fast": True})
    game = get_game(options.game)
    _kept_tree.cache_clear()
    result = train(options)
    assert all(each["exploitability"] is None for each in checkpoint(tmp_path)[0]["evaluations"])
    found = measure(game, game.configuration.make(options.config), None, result.untrained, result.agent, 4, 0)
    assert "exploitability" not in found and list(found["against"]) == ["random", "greedy"]
    assert "brave_rats has more than 1,000 public states with these options" in capsys.readouterr().err


def test_exploitability_is_not_in_the_curve_of_a_game_with_hidden_hands(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluation, "EXACT_AFTER", 0.0)
    options = dataclasses.replace(LEARNERS["ppo"].tiny(tmp_path, evaluations=1), game="rattus", steps=64)
    train(options)
    assert all(each["exploitability"] is None for each in checkpoint(tmp_path)[0]["evaluations"])
