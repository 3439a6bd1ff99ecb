"""The learnt lower bound: it is below the exact value, finds what is there to win, and says what it is."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest

from rat_envs.agents import make_agent
from rat_envs.agents.shipped import shipped_file
from rat_envs.commands.main import app
from rat_envs.engine.errors import ConfigurationError, UnknownNameError
from rat_envs.engine.registry import get_game
from rat_envs.solving.exploitability import exploitability
from rat_envs.training import best_response
from rat_envs.training.best_response import learn_best_response, response_options
from rat_envs.training.folder import POLICY
from rat_envs.training.ppo import PPOOptions
from rat_envs.training.run import train

SMALL = {"minutes": None, "num_games": 128, "minibatch": 512, "tensorboard": False}


def test_it_is_below_the_exact_value_and_not_far(tmp_path):
    options = response_options("brave_rats", "greedy", folder=str(tmp_path), steps=60_000, **SMALL)
    bound = learn_best_response(options, games=1000)
    exact = exploitability("brave_rats", make_agent("greedy", "brave_rats", 0))
    assert 0.5 * exact.exploitability < bound.lower_bound.low
    assert bound.lower_bound.low <= exact.exploitability
    assert bound.by_seat[0] + bound.by_seat[1] == pytest.approx(2 * bound.lower_bound.mean)
    assert make_agent(bound.policy, "brave_rats").name


def test_it_begins_with_the_policy_that_comes_with_the_package(tmp_path):
    options = response_options("rattus_cartus", "greedy", folder=str(tmp_path), steps=1, **SMALL)
    assert options.begin_with == str(shipped_file(get_game("rattus_cartus"), 4)) and options.hidden == (256, 128)
    bound = learn_best_response(options, games=400)
    assert bound.lower_bound.low > 0.2, "with next to no learning: without that policy it loses"
    for_two = response_options("rattus_cartus", "greedy", config={"players": 2})
    assert for_two.begin_with == str(shipped_file(get_game("rattus_cartus"), 2))


def test_it_begins_anew_where_it_cannot_or_a_network_is_asked_for():
    assert response_options("brave_rats", "greedy").begin_with == "", "the package's policy looks ahead"
    asked = response_options("rattus_cartus", "greedy", hidden=(32,))
    assert (asked.begin_with, asked.hidden) == ("", (32,)) and asked.teacher_steps > 0


def test_it_resumes(tmp_path):
    options = response_options("brave_rats", "random", folder=str(tmp_path), steps=4096, **SMALL)
    first = learn_best_response(options, games=10)
    again = learn_best_response(replace(options, resume=True, steps=8192), games=10)
    assert again.steps > first.steps


def test_it_is_measured_against_the_agent_that_was_met(tmp_path, monkeypatch):
    """Its file may hold another one by then, as where a run goes on or has replaced it."""
    weak, strong = tmp_path / "agent.safetensors", shipped_file(get_game("brave_rats"), 2)
    train(PPOOptions(folder=str(tmp_path / "run"), steps=1, hidden=(8,), **SMALL))
    shutil.copy(tmp_path / "run" / POLICY, weak)
    options = response_options("brave_rats", str(weak), folder=str(tmp_path / "response"), steps=20_000, **SMALL)
    expected = learn_best_response(options, games=500)

    def train_and_overwrite(*arguments):
        result = train(*arguments)
        shutil.copy(strong, weak)
        return result

    monkeypatch.setattr(best_response, "train", train_and_overwrite)
    found = learn_best_response(replace(options, replace=True), games=500)
    assert found.lower_bound == expected.lower_bound and found.by_seat == expected.by_seat


def test_others_than_one_opponent_are_refused(tmp_path):
    options = response_options("brave_rats", "random", folder=str(tmp_path), **SMALL | {"steps": 1})
    for opponents in ({"random": 0.5, "greedy": 0.5}, {"random": 0.5}):
        with pytest.raises(ConfigurationError, match="must be one agent with all games"):
            learn_best_response(replace(options, opponents=opponents))
    with pytest.raises(UnknownNameError, match="frozen"):
        learn_best_response(replace(options, opponents={"frozen": 1.0}))


def test_the_command_asks_for_enough_games_before_it_learns(tmp_path):
    arguments = ["best-response", "brave_rats", "--agent", "random", "--steps", "2000", "--games", "2"]
    with pytest.raises(ConfigurationError, match="games=2: must be more than 2"):
        app([*arguments, "--folder", str(tmp_path / "new")], standalone_mode=False)
    assert not (tmp_path / "new").exists()


def test_the_command_never_calls_it_exploitability(tmp_path, capsys):
    arguments = ["best-response", "brave_rats", "--agent", "random", "--steps", "2000", "--games", "20"]
    app([*arguments, "--folder", str(tmp_path), "--json"], standalone_mode=False)
    report = json.loads(capsys.readouterr().out)
    assert set(report["lower_bound"]) == {"mean", "low", "high"} and "exploitability" not in report
