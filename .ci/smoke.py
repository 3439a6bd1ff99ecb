"""What has to work wherever the package is installed, without any extra; ``.ci/packages`` runs it."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time

PLAY_ALL_GAMES = """
import rat_envs

for name in rat_envs.all_games():
    env = rat_envs.make(name)
    env.reset(seed=1)
    returns = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        returns[agent] += reward
        env.step(None if terminated or truncated else env.action_space(agent).sample(info["action_mask"]))
    assert abs(sum(returns.values())) < 1e-6, (name, returns)
"""

WHOSE = """
import agents, training
import rat_envs.agents, rat_envs.solving.solution

assert agents.OWNER == training.OWNER == "somebody else"
assert "nash" in rat_envs.agents.agent_names()
assert len(list(rat_envs.solving.solution.SOLUTIONS.glob("*.json"))) == 4
"""

INTERPRETED, COMPILED = {"NUMBA_DISABLE_JIT": "1"}, {"NUMBA_DISABLE_JIT": "0"}


def run(*command: str, code: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command, say how long it took, and demand its exit code and no traceback."""
    started = time.monotonic()
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    name = " ".join("…" if "\n" in word else os.path.basename(word) for word in command)
    print(f"{time.monotonic() - started:5.1f} s  {name}", flush=True)
    if done.returncode != code or "Traceback" in done.stderr:
        sys.exit(f"exit code {done.returncode}, not {code}:\n{done.stdout}{done.stderr}")
    return done


def rat_envs(*arguments: str, code: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command."""
    command = shutil.which("rat-envs", path=os.path.dirname(sys.executable))
    assert command is not None
    return run(command, *arguments, code=code, **environment)


def main() -> None:
    """Try everything, in a working directory that holds somebody else's folders ``agents`` and ``training``."""
    assert importlib.util.find_spec("torch") is None, "no extra is installed here"
    run(sys.executable, "-c", WHOSE)
    run(sys.executable, "-c", PLAY_ALL_GAMES, **INTERPRETED)
    assert rat_envs("--version").stdout == run(sys.executable, "-m", "rat_envs", "--version").stdout
    assert "rat/rattus-cartus-v0" in rat_envs("games").stdout
    interpreted = rat_envs("record", "brave_rats", "--games", "2", **INTERPRETED).stdout
    assert rat_envs("record", "brave_rats", "--games", "2", **COMPILED).stdout == interpreted
    arena = rat_envs("arena", "brave_rats", "random", "greedy", "--games", "400", "--json")
    assert json.loads(arena.stdout)["agents"][1]["mean_return"]["mean"] > 0, "greedy beats random"
    assert arena.stderr == 'Rating needs openskill: pip install "rat-envs[arena]"\n', "no progress in a pipe"
    assert "Missing argument" in rat_envs("describe", code=2).stderr
    assert 'pip install "rat-envs[training]"' in rat_envs("train", "brave_rats", code=1).stderr
    assert "clone" in rat_envs("ladder", code=1).stderr


if __name__ == "__main__":
    main()
