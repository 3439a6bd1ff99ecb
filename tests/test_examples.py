"""The example package is installed as anybody would, and gets everything that our own games and agents get."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent.parent / "examples" / "kuhn_poker"
pytest.importorskip("setuptools", minversion="77", reason="building needs setuptools of today")


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """The folder in which the example package is installed."""
    folder = tmp_path_factory.mktemp("installed")
    source = tmp_path_factory.mktemp("source")
    for path in EXAMPLE.iterdir():
        if path.is_file():
            (source / path.name).write_bytes(path.read_bytes())
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--target", str(folder), str(source)], check=True, capture_output=True)
    return folder


@pytest.fixture
def run(installed):
    """Runs Python with the package installed."""

    def run_python(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(installed), *filter(None, [os.environ.get("PYTHONPATH")])])
        result = subprocess.run(
            [sys.executable, *arguments],
            env={**os.environ, "PYTHONPATH": path},
            input=stdin,
            capture_output=True,
            text=True,
        )
        assert "Traceback" not in result.stderr, result.stderr
        return result

    return run_python


def test_the_example_is_as_short_as_its_page_says():
    lines = {path.name: len(path.read_text().splitlines()) for path in EXAMPLE.glob("*.py")}
    assert lines["kuhn_poker.py"] <= 150
    assert lines["bluffer.py"] <= 30


def test_the_example_keeps_what_is_asked_of_games_and_agents(run):
    code = """
from rat_envs.testing import check_agent, check_game
check_game("kuhn_poker", [None, {"cards": 13}], games=2, positions=30)
for agent in ("bluffer:bluff=0.5", "greedy", "ismcts:sims=20"):
    check_agent(agent, "kuhn_poker", positions=20)
print("kept")
"""
    assert run("-c", code).stdout == "kept\n"


def test_commands_know_the_example(run):
    games = json.loads(run("-m", "rat_envs", "games", "--json").stdout)
    assert {"name": "kuhn_poker", "id": "rat/kuhn-poker-v0"}.items() <= games[-1].items()
    assert "what was done in each move" in run("-m", "rat_envs", "describe", "kuhn_poker").stdout
    record = run("-m", "rat_envs", "record", "kuhn_poker", "--agent", "bluffer", "--agent", "greedy", "cards=5").stdout
    assert json.loads(record)["config"] == {"cards": 5}
    played = run("-m", "rat_envs", "play", "kuhn_poker", "--against", "bluffer:bluff=1", "--seed", "1", stdin="1\n1\n")
    assert "You got " in played.stdout and " win" in played.stdout.splitlines()[-1]
    arena = ["arena", "kuhn_poker", "bluffer:bluff=0.9", "greedy", "--games", "400", "--workers", "2", "--chunk", "20"]
    result = json.loads(run("-m", "rat_envs", *arena, "--json").stdout)
    assert [agent["name"] for agent in result["agents"]] == ["bluffer:bluff=0.9", "greedy"]


def test_the_example_is_solved_to_the_value_that_kuhn_found(run):
    result = json.loads(run("-m", "rat_envs", "solve", "kuhn_poker", "--preset", "small", "--json").stdout)
    assert result["value"] == pytest.approx(-1 / 36)  # -1/18 of a chip, where two chips are the most
    exploit = run("-m", "rat_envs", "exploit", "kuhn_poker", "--preset", "small", "--agent", "bluffer", "--json")
    assert 0 < json.loads(exploit.stdout)["exploitability"] < 1


def test_registries_of_others_know_the_example(run):
    code = """
import gymnasium, pettingzoo
import rat_envs
from rat_envs.agents import make_agent
make = getattr(pettingzoo, "make", lambda kind, name, **options: rat_envs.make("kuhn_poker", **options))
env = make("aec", "rat/kuhn-poker-v0", cards=4)
env.reset(seed=1)
agent = make_agent("bluffer", "kuhn_poker", seed=1)
while not env.terminations[env.agent_selection]:
    assert abs(agent.policy(env).sum() - 1) < 1e-9
    env.step(agent.act(env))
single = gymnasium.make("rat_envs/KuhnPoker-v0", opponent="bluffer")
single.reset(seed=1)
print(sum(env.rewards.values()))
"""
    assert run("-c", code).stdout == "0.0\n"


def test_an_agent_is_named_by_its_file(run):
    agent = f"{EXAMPLE / 'bluffer.py'}:Bluffer:bluff=0"
    result = run("-m", "rat_envs", "arena", "kuhn_poker", agent, "random", "--games", "100", "--json")
    assert json.loads(result.stdout)["games"] == 100
