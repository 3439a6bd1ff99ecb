"""Processes that learn together: they sum what they are to sum, have one network, and notice when one of them dies."""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch
from learners import LEARNERS, learnt, updates_saved
from teamwork import ROUNDS, add_up, die, fail

from rat_envs.engine.errors import ConfigurationError, RatEnvsError
from rat_envs.engine.interrupts import SENT
from rat_envs.training.ppo import PPO, PPOOptions
from rat_envs.training.run import train
from rat_envs.training.team import Team, new_team

pytestmark = pytest.mark.usefixtures("usual_signals")


def tiny(folder, updates=6.0, **changes):
    return LEARNERS["ppo"].tiny(folder, updates, **{"processes": 2, **changes})


def test_all_get_the_sums_of_what_each_has_given():
    team = new_team(3, 40, add_up, 10)
    for number in range(ROUNDS):
        total = team.all_reduce(np.full(3, number, np.float32))
        assert total.dtype == np.float32 and total.tolist() == [30 + 3 * number] * 3
        assert team.all_reduce(np.array([int(total[0])])) == 3 * int(total[0])
    assert [pipe.recv() for pipe in team.pipes] == [(1, total.tolist()), (2, total.tolist())]
    team.close()


def test_alone_nothing_is_started():
    team = new_team(1, 8, die)
    assert (team.size, team.rank, team.pipes) == (1, 0, ())
    assert team.all_reduce(np.array([5])) == 5
    team.tell("nobody")


def test_who_is_left_says_that_another_has_died():
    team = new_team(2, 8, die)
    with pytest.raises(RatEnvsError, match=r"^A process of this training run has ended .*fewer processes\.$"):
        team.all_reduce(np.zeros(1))
    team.close()


def test_what_went_wrong_in_another_process_is_printed_there(capfd):
    team = new_team(2, 8, fail)
    with pytest.raises(RatEnvsError, match="what it printed is above"):
        team.all_reduce(np.zeros(1))
    team.close()
    assert "something else is wrong" in capfd.readouterr().err
    assert not any(each.is_alive() for each in team.others)


def pair(options) -> list[PPO]:
    """Two runs of one team, in this process."""
    memory, ends = np.zeros((3, 2**20), np.uint8), multiprocessing.Pipe()
    return [PPO(options, Team(rank, [end], memory)) for rank, end in enumerate(ends)]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"regularisation": "mmd", "averaged": 5},
        {"opponents": {"random": 0.3, "frozen": 0.3}, "teacher_steps": 100, "teacher_minibatch": 32},
    ],
)
def test_all_have_one_network_and_games_of_their_own(changes, tmp_path):
    leader, other = pair(tiny(tmp_path, 50.0, num_games=16, **changes))
    first = torch.cat([each.flatten() for each in leader.model.parameters()]).clone()
    for update in range(4):
        obeying = threading.Thread(target=lambda: other.obey(other.team.hear()))
        obeying.start()
        leader.update()
        obeying.join()
        for one, another in (
            (leader.model, other.model),
            (leader.magnet, other.magnet),
            (leader.averaged, other.averaged),
        ):
            assert all(map(torch.equal, one.parameters(), another.parameters()))
        assert leader.steps == other.steps and other.updates == update
        assert leader.decisions.actions.shape == other.decisions.actions.shape == (8, 8)
        assert (leader.decisions.actions != other.decisions.actions).any()
    learnt_from = sum(int(each.decisions.learnt.sum()) for each in (leader, other))
    assert 0 < learnt_from <= leader.steps
    assert (torch.cat([each.flatten() for each in leader.model.parameters()]) - first).abs().max() > 1e-3


def test_who_takes_over_has_the_opponents_of_the_leader(tmp_path):
    options = tiny(tmp_path, 50.0, opponents={"frozen": 0.9}, minibatch=8)
    leader, other = pair(options)
    for update in range(5):
        leader.pool.add(leader.model.networks(), update + 1)
    leader.updates = 5
    state, arrays = leader.shared_state()
    other.obey_first(state, arrays, 5)
    assert [each.update for each in other.pool.history] == [each.update for each in leader.pool.history]
    for one, another in zip(leader.pool.history, other.pool.history, strict=True):
        assert all(map(np.array_equal, one.networks.weights, another.networks.weights))
    assert all(map(np.array_equal, leader.first.weights, other.first.weights))
    playing = {each.update for each in other.games.opponents if each is not None}
    assert playing and playing <= {each.update for each in leader.pool.history}


def test_a_step_is_by_the_mean_of_the_gradients(tmp_path):
    leader, other = pair(tiny(tmp_path, 50.0))
    found = []
    waiting = threading.Thread(target=lambda: found.append(other.mean_of_all(torch.tensor([1.0, -4.0]))))
    waiting.start()
    mean = leader.mean_of_all(torch.tensor([3.0, 2.0]))
    waiting.join()
    assert mean.tolist() == found[0].tolist() == [2.0, -1.0]


def test_a_process_that_dies_costs_no_checkpoint_and_equal_seeds_give_the_same_policy(tmp_path):
    train(tiny(tmp_path / "other", 2.0, seed=1))
    folder = tmp_path / "run"
    options = tiny(folder, 10**6, seed=1)

    def kill_others(report):
        if report.updates == 3:
            for each in multiprocessing.active_children():
                os.kill(each.pid, signal.SIGKILL)

    with pytest.raises(RatEnvsError, match="has ended"):
        train(options, kill_others)
    assert updates_saved(folder) == 2
    assert learnt(folder) == learnt(tmp_path / "other")
    result = train(dataclasses.replace(PPOOptions.saved(folder), steps=LEARNERS["ppo"].steps(5)))
    assert result.updates_before == 2 and result.updates >= 5


SCRIPT = """
import multiprocessing, signal
from rat_envs.training.ppo import PPOOptions
from rat_envs.training.run import train
def tell(report):
    if report.updates == 1:
        print(*(each.pid for each in multiprocessing.active_children()), flush=True)
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    train(PPOOptions(folder={folder!r}, processes=2, num_games=8, minibatch=8, device="cpu"), tell)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, SENT[0]])
def test_what_ends_all_processes_of_a_run_saves(number, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(folder=str(tmp_path / "run")))
    outcome = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=outcome, stderr=outcome, text=True, start_new_session=True
    ) as leader:
        leader.stdout.readline()
        os.killpg(leader.pid, number)  # as terminals and schedulers do: all processes of the group get it
        _, errors = leader.communicate(timeout=60)
    assert leader.returncode == 0 and not errors
    assert updates_saved(tmp_path / "run") >= 1


@pytest.mark.skipif(not hasattr(os, "kill") or sys.platform == "win32", reason="needs signals")
def test_nobody_is_left_where_the_leader_has_been_killed(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(folder=str(tmp_path / "run")))
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as leader:
        other = int(leader.stdout.readline())
        os.kill(other, 0)
        leader.kill()
    deadline = time.monotonic() + 60
    while is_running(other):
        assert time.monotonic() < deadline, "the other process is still there"
        time.sleep(0.1)


UNCLOSED = """
from rat_envs.training.ppo import PPOOptions
if __name__ == "__main__":
    run = PPOOptions(folder={folder!r}, processes=2, num_games=8, minibatch=8, device="cpu").new_run()
    print(run.team.others[0].pid, flush=True)
"""


def test_a_team_that_is_never_closed_ends_with_its_leader(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(UNCLOSED.format(folder=str(tmp_path / "run")))
    ended = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0 and not ended.stderr
    assert not is_running(int(ended.stdout))


def is_running(pid: int) -> bool:
    """Whether there is such a process; one that has ended may still be listed until somebody asks how."""
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat")
        return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"processes": 3}, r"^num_games=8: must be a multiple of processes=3, which share them\.$"),
        ({"ray": "local"}, r"^processes and ray: games are played in one way or the other, not in both\.$"),
        ({"processes": 0}, r"^processes=0: must be a whole number from 1\.$"),
        ({"processes": 10**6}, r"^processes=1000000: must be at most 1,024\.$"),
    ],
)
def test_processes_that_cannot_share_the_games_are_refused(changes, wrong, tmp_path):
    with pytest.raises(ConfigurationError, match=wrong):
        tiny(tmp_path, **changes)
