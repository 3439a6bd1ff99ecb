"""A soak: four processes for an hour, and nothing lost, nothing left behind, no memory that grows.

    python tests/soak.py --minutes 60

Two processes play all games in random configurations, with copies, pickles, saved states, forks, threads and resets in
mid-game. One trains, is killed at random moments, and resumes; one plays a tournament in the same way, whose records
must be those of a tournament that nobody has killed. What each has done is printed as JSON at the end.
"""

from __future__ import annotations

import argparse
import copy
import json
import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "common"))

from games_and_configurations import EVERY

import rat_envs
from rat_envs.agents.learnt import load_policy
from rat_envs.engine.archive import PARTIAL_SUFFIX
from rat_envs.engine.batch import Batch
from rat_envs.training.checkpoints import CHECKPOINT, load_checkpoint
from rat_envs.training.folder import POLICY

#: Seconds within which a process has loaded what it needs; memory is compared with what it is then.
WARM = 600
Random = np.random.Generator


def any_configuration(random: Random) -> tuple[str, dict[str, Any]]:
    """A game, and one of its configurations."""
    game = list(EVERY)[random.integers(len(EVERY))]
    return game, EVERY[game][random.integers(len(EVERY[game]))]


def play_environment(random: Random) -> str:
    """A game in a PettingZoo environment, which is copied, pickled, saved and begun anew on the way."""
    game, config = any_configuration(random)
    env = rat_envs.make(game, **config)
    env.reset(seed=int(random.integers(2**60)))
    while env.agents:
        chance = random.random()
        if chance < 0.01:
            env = copy.deepcopy(env) if chance < 0.003 else pickle.loads(pickle.dumps(env))
        elif chance < 0.02:
            state = env.state_dict()
            env = rat_envs.make(game, **config)
            env.load_state_dict(state)
            assert env.state_dict() == state
        elif chance < 0.022:
            env.reset()
        mask = env.last()[4]["action_mask"]
        env.step(int(random.choice(np.flatnonzero(mask))) if mask.any() else None)
    assert abs(sum(env._batch.rewards[0].tolist())) < 1e-5
    return "games in an environment"


def play_batch(random: Random) -> str:
    """Many games at once in several threads, a part of them saved and loaded."""
    game, config = any_configuration(random)
    batch = Batch(game, 4096, config, int(random.integers(2**60)), threads=2)
    for _ in range(50):
        batch.step_random()
    twin = Batch(game, 4096, config, seed=0)
    twin.set_state(batch.get_state())
    for each in (batch, twin):
        for _ in range(5):
            each.step_random()
    assert batch.get_state() == twin.get_state()
    return "batches"


def play_in_fork(random: Random) -> str:
    """A forked child steps games in threads of its own, as its parent does."""
    game, config = any_configuration(random)
    batch = Batch(game, 4096, config, seed=1, threads=2)
    batch.step_random()
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a child that hangs dies by this
        batch.step_random()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, f"a forked child ended with {status}"
    return "forks"


def play(random: Random, folder: Path) -> str:
    """Something or other."""
    does: tuple[Callable[[Random], str], ...] = (play_environment, play_environment, play_batch, play_in_fork)
    return does[random.integers(len(does))](random)


def run_and_kill(command: list[str], seconds: float) -> bool:
    """Run a command and kill it after so long; whether it had ended by itself, without an error."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    try:
        _, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return False
    assert process.returncode == 0, errors.decode()[-2000:]
    return True


def rat_envs_command(*arguments: str) -> list[str]:
    """A command line of ours."""
    return [sys.executable, "-m", "rat_envs", *arguments]


def no_partial_file(folder: Path) -> None:
    """What was half-written by processes that were killed is gone."""
    assert not list(folder.rglob(f"*{PARTIAL_SUFFIX}"))


#: Games and learners that train and are killed.
LEARNERS = (
    ("brave_rats", "ppo"),
    ("comme_des_rats", "ppo"),
    ("brave_rats", "lookahead"),
    ("brave_rats", "maskable_ppo"),
)


def train(random: Random, folder: Path) -> str:
    """Train, be killed, resume, until it is done; each checkpoint on the way is whole, and none goes back."""
    game, learner = LEARNERS[random.integers(len(LEARNERS))]
    run, kills, saved = folder / "run", 0, -1
    shutil.rmtree(run, ignore_errors=True)
    command = rat_envs_command("train", game, "--learner", learner, "--minutes", "0.3", "--folder", str(run))
    command += ["--games", "20"]
    while not run_and_kill([*command, *(["--resume"] if run.is_dir() else [])], float(random.uniform(2, 40))):
        kills += 1
        if (run / CHECKPOINT).exists():
            steps = load_checkpoint(run / CHECKPOINT, learner, game)[0]["counters"]["steps"]
            assert steps >= saved, "a checkpoint went back"
            saved = steps
    load_policy(run / POLICY, game)
    no_partial_file(run)
    return f"trainings {kills}"


def tournament(random: Random, folder: Path) -> str:
    """The same with a tournament; its records are those of one that nobody kills."""
    seed, kills = str(random.integers(2**30)), 0
    common = [
        "arena",
        "rattus",
        "greedy",
        "random",
        "ismcts:sims=10",
        "--players",
        "2",
        "--games",
        "240",
        "--chunk",
        "10",
    ]
    common += ["--seed", seed, "--workers", "1"]
    whole, out = folder / "whole", folder / "killed"
    for each in (whole, out):
        shutil.rmtree(each, ignore_errors=True)
    while not run_and_kill(rat_envs_command(*common, "--out", str(out)), float(random.uniform(1, 25))):
        kills += 1
    assert run_and_kill(rat_envs_command(*common, "--out", str(whole)), 3600)
    manifests = [json.loads((each / "manifest.json").read_text()) for each in (whole, out)]
    assert manifests[0]["records"] == manifests[1]["records"], "a killed tournament has other records"
    no_partial_file(out)
    return f"tournaments {kills}"


def memory() -> float:
    """MiB of memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def soak(does: Callable[[Random, Path], str], minutes: float, seed: int, answers: Any) -> None:
    """Do it again and again, and say how often, how much memory was taken, and what went wrong."""
    random, done, wrong = np.random.default_rng(seed), Counter(), []
    started, warm = time.monotonic(), None
    folder = Path(tempfile.mkdtemp(prefix="soak"))
    while time.monotonic() - started < 60 * minutes:
        try:
            what, _, kills = does(random, folder).partition(" ") if does is not play else (play(random, folder), "", "")
            done[what] += 1
            done["kills"] += int(kills or 0)
        except Exception:
            wrong.append(traceback.format_exc(limit=3))
        if warm is None and time.monotonic() - started > min(WARM, 20 * minutes):
            warm = memory()
    shutil.rmtree(folder, ignore_errors=True)
    answers.put(
        {"does": does.__name__, "done": dict(done), "wrong": wrong[:5], "errors": len(wrong)}
        | {"MiB warm": round(warm or memory()), "MiB at the end": round(memory())}
    )


def main() -> None:
    """All four."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    subprocess.run(rat_envs_command("warm"), check=True)  # what compilation takes stays, and is no leak
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    roles = (play, play, train, tournament)
    processes = [
        context.Process(target=soak, args=(role, arguments.minutes, arguments.seed + number, answers))
        for number, role in enumerate(roles)
    ]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        for process in processes:
            process.start()
        print(json.dumps([answers.get() for _ in processes], indent=1))
        for process in processes:
            process.join()
    finally:  # whoever stops this stops all of it
        for process in processes:
            process.kill()


if __name__ == "__main__":
    main()
