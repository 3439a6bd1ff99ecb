"""The learnt lower bound: it is below the exact value, finds what is there to win, and says what it is."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from rat_envs.agents import make_agent
from rat_envs.commands.main import app
from rat_envs.engine.errors import ConfigurationError
from rat_envs.solving.exploitability import exploitability
from rat_envs.training.best_response import learn_best_response, response_options

SMALL = {"minutes": None, "num_games": 128, "minibatch": 512, "tensorboard": False}


def test_it_is_below_the_exact_value_and_not_far(tmp_path):
    options = response_options("brave_rats", "greedy", folder=str(tmp_path), steps=60_000, **SMALL)
    bound = learn_best_response(options, games=1000)
    exact = exploitability("brave_rats", make_agent("greedy", "brave_rats", 0))
    assert 0.5 * exact.exploitability < bound.lower_bound.low
    assert bound.lower_bound.low <= exact.exploitability
    assert bound.by_seat[0] + bound.by_seat[1] == pytest.approx(2 * bound.lower_bound.mean)
    assert make_agent(bound.policy, "brave_rats").name


def test_it_resumes(tmp_path):
    options = response_options("brave_rats", "random", folder=str(tmp_path), steps=4096, **SMALL)
    first = learn_best_response(options, games=10)
    again = learn_best_response(replace(options, resume=True, steps=8192), games=10)
    assert again.steps > first.steps


def test_others_than_one_opponent_are_refused(tmp_path):
    options = response_options("brave_rats", "random", folder=str(tmp_path), **SMALL | {"steps": 1})
    with pytest.raises(ConfigurationError, match="must be one agent with all games"):
        learn_best_response(replace(options, opponents={"random": 0.5, "greedy": 0.5}))


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
