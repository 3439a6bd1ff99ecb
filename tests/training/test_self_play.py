"""Training runs: what is learnt from, and that stopping at any moment loses nothing that was saved."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from agents.archive import PARTIAL_SUFFIX, read_archive, write_archive
from agents.learnt import load_policy
from rat_envs.engine.errors import CheckpointError, ConfigurationError
from training.checkpoints import CHECKPOINT, FORMAT
from training.opponents import FrozenSelf
from training.run import POLICY, train
from training.self_play import SelfPlay, TrainingOptions

STEPS_OF_UPDATE = 8 * 8
ROOT = Path(__file__).parents[2]


def tiny(folder, updates: float = 8, **changes) -> TrainingOptions:
    """A run of seconds."""
    return TrainingOptions(
        **{
            "folder": str(folder),
            "minutes": None,
            "steps": int(updates * STEPS_OF_UPDATE),
            "num_games": 8,
            "steps_per_update": 8,
            "minibatch": 32,
            "epochs": 2,
            "hidden": (16,),
            "history": 3,
            "opponents": {"random": 0.2},
            "latest_share": 0.4,
            "average_share": 0.5,
            "checkpoint_interval": 3,
            "tensorboard": False,
            **changes,
        }
    )


def learnt(folder) -> dict[str, bytes]:
    """All that a run's checkpoint holds but how long it took."""
    header, arrays = read_archive(Path(folder) / CHECKPOINT, FORMAT, "checkpoint")
    header["counters"].pop("seconds")
    header.pop("options")
    return {"header": json.dumps(header).encode(), **{name: array.tobytes() for name, array in arrays.items()}}


def updates_saved(folder) -> int:
    return read_archive(Path(folder) / CHECKPOINT, FORMAT, "checkpoint")[0]["counters"]["updates"]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    """A run of 8 updates that was never stopped."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    reports = []
    result = train(tiny(folder), reports.append)
    return folder, result, reports


def test_run_reports_saves_and_returns_the_policy(uninterrupted):
    folder, result, reports = uninterrupted
    assert [report.updates for report in reports] == list(range(1, 9))
    assert [report.updates for report in reports if report.saved] == [3, 6]
    assert reports[-1].fraction == 1.0 and not result.interrupted
    assert (result.updates, result.steps) == (8, 8 * STEPS_OF_UPDATE)
    saved = load_policy(folder / POLICY, "brave_rats")
    assert all(map(np.array_equal, saved.networks.weights, result.agent.networks.weights))
    assert saved.training["steps"] == result.steps
    assert len(result.untrained.networks) == 1 and len(saved.networks) >= 2


def test_same_seed_gives_the_same_run(uninterrupted, tmp_path):
    train(tiny(tmp_path))
    assert learnt(tmp_path) == learnt(uninterrupted[0])


def test_other_seed_gives_another_run(uninterrupted, tmp_path):
    train(tiny(tmp_path, seed=1))
    assert learnt(tmp_path)["parameters/action_net.weight"] != learnt(uninterrupted[0])["parameters/action_net.weight"]


@pytest.mark.parametrize("updates", [0, 1, 5])
def test_resumed_run_equals_one_that_was_never_stopped(uninterrupted, tmp_path, updates):
    train(tiny(tmp_path, updates))
    assert updates_saved(tmp_path) == updates
    result = train(dataclasses.replace(TrainingOptions.saved(tmp_path), steps=8 * STEPS_OF_UPDATE))
    assert result.updates == 8
    assert learnt(tmp_path) == learnt(uninterrupted[0])


def test_tensorboard_logs_are_written(tmp_path):
    train(tiny(tmp_path, 2, tensorboard=True))
    assert any(tmp_path.glob("tensorboard/events.*"))


def test_opponents_change_only_between_games(tmp_path):
    run = SelfPlay(tiny(tmp_path, older_at_once=1))
    games = run.games
    playing = [games.opponents[number] for number in games.opponent_of]
    seen, seats = set(), set()

    def check() -> bool:
        for i in range(games.n):
            now = games.opponents[games.opponent_of[i]]
            assert games.dones[i] or now is playing[i]
            playing[i] = now
        seen.update(each.update if isinstance(each, FrozenSelf) else None for each in playing)
        seats.update(games.seats.tolist())
        return True

    run.statistics._on_step = check
    for _ in range(10):
        run.update()
    assert None in seen and len(seen) > 5
    assert seats == {0, 1}


def test_history_stays_bounded_and_evenly_spread(tmp_path):
    run = SelfPlay(tiny(tmp_path))
    for update in range(1, 50):
        run.pool.add(run.pool.latest.networks, update)
        kept = [frozen.update for frozen in run.pool.history]
        assert len(kept) <= 3 and kept == list(range(0, update + 1, run.pool.spacing))


def start(options: TrainingOptions) -> subprocess.Popen:
    """The run in a process of its own."""
    program = (
        "import json, sys; from training.run import train; from training.self_play import TrainingOptions; "
        "values = json.loads(sys.argv[1]); values['hidden'] = tuple(values['hidden']); "
        "print(train(TrainingOptions(**values)).interrupted)"
    )
    arguments = [sys.executable, "-c", program, json.dumps(dataclasses.asdict(options))]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE, text=True)


def wait_for(folder, updates: int, process: subprocess.Popen) -> None:
    """Until the process has saved so many updates."""
    deadline = time.monotonic() + 120
    while not (folder / CHECKPOINT).exists() or updates_saved(folder) < updates:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)


def test_sigkill_leaves_what_can_be_resumed(uninterrupted, tmp_path):
    process = start(tiny(tmp_path, 10**6, checkpoint_interval=1))
    wait_for(tmp_path, 2, process)
    process.kill()
    process.wait()
    saved = updates_saved(tmp_path)
    load_policy(tmp_path / POLICY, "brave_rats")
    train(dataclasses.replace(TrainingOptions.saved(tmp_path), steps=(saved + 2) * STEPS_OF_UPDATE))
    assert not list(tmp_path.glob(f"*{PARTIAL_SUFFIX}"))
    train(tiny(tmp_path / "again", saved + 2))
    assert learnt(tmp_path) == learnt(tmp_path / "again")


def test_interrupt_saves_and_ends_cleanly(tmp_path):
    process = start(tiny(tmp_path, 10**6, checkpoint_interval=1000))
    wait_for(tmp_path, 0, process)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and output.strip() == "True"
    saved = updates_saved(tmp_path)
    assert load_policy(tmp_path / POLICY, "brave_rats").training["updates"] == saved


def test_crash_while_saving_leaves_the_checkpoint_before(tmp_path, monkeypatch):
    run = SelfPlay(tiny(tmp_path))
    run.save()
    before = (tmp_path / CHECKPOINT).read_bytes()
    run.update()

    def crash(*arguments):
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr("agents.archive.os.replace", crash)
        with pytest.raises(OSError, match="no space"):
            run.save()
    assert (tmp_path / CHECKPOINT).read_bytes() == before
    assert train(TrainingOptions.saved(tmp_path)).updates == 8


@pytest.fixture
def stopped(uninterrupted, tmp_path):
    """The folder of a run that can be damaged."""
    (tmp_path / CHECKPOINT).write_bytes((uninterrupted[0] / CHECKPOINT).read_bytes())
    return tmp_path


def refusal(options: TrainingOptions) -> str:
    """The one sentence with which a resumption is refused."""
    with pytest.raises(CheckpointError) as error:
        train(options)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("part", [0.0, 0.3, 0.99])
def test_truncated_checkpoint_is_refused(stopped, part):
    whole = (stopped / CHECKPOINT).read_bytes()
    (stopped / CHECKPOINT).write_bytes(whole[: int(part * len(whole))])
    assert "truncated" in refusal(tiny(stopped, 9, resume=True))


def edit(folder, **changes) -> None:
    header, arrays = read_archive(folder / CHECKPOINT, FORMAT, "checkpoint")
    write_archive(folder / CHECKPOINT, {**header, **changes}, arrays)


def test_checkpoint_of_another_format_is_refused(stopped):
    edit(stopped, format="rat-training/99")
    assert "rat-training/99" in refusal(tiny(stopped, 9, resume=True))


def test_checkpoint_of_another_version_is_refused(stopped):
    edit(stopped, version=99)
    assert "version 99" in refusal(tiny(stopped, 9, resume=True))


def test_checkpoint_of_another_game_is_refused(stopped):
    edit(stopped, game="other_game")
    assert "for other_game" in refusal(tiny(stopped, 9, resume=True))


def test_policy_is_no_checkpoint(uninterrupted, stopped):
    (stopped / CHECKPOINT).write_bytes((uninterrupted[0] / POLICY).read_bytes())
    assert "rat-policy/1" in refusal(tiny(stopped, 9, resume=True))


@pytest.mark.parametrize("part", ["counters", "opponents", "games", "numpy_random", "statistics", "options"])
def test_edited_checkpoint_is_refused(stopped, part):
    edit(stopped, **{part: {}})
    assert CHECKPOINT in refusal(tiny(stopped, 9, resume=True))


def test_checkpoint_with_other_options_is_refused(stopped):
    assert "learning_rate" in refusal(tiny(stopped, 9, resume=True, learning_rate=0.5))


def test_nothing_to_resume_is_said(tmp_path):
    assert "no run" in refusal(tiny(tmp_path / "nowhere", resume=True))
    with pytest.raises(CheckpointError, match="no checkpoint"):
        TrainingOptions.saved(tmp_path)


def test_run_killed_before_its_first_checkpoint_starts_again(tmp_path):
    assert train(tiny(tmp_path, 1, resume=True)).updates == 1


def test_new_run_keeps_the_checkpoint_of_the_one_before(stopped):
    before = (stopped / CHECKPOINT).read_bytes()
    train(tiny(stopped, 1))
    assert (stopped / f"previous-{CHECKPOINT}").read_bytes() == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"num_games": 0},
        {"steps": None},
        {"opponents": {"random": 0.7}, "latest_share": 0.7},
        {"opponents": {"random": -0.1}},
        {"average_share": 0.0},
        {"config": {"hands": "none"}},
        {"activation": "step"},
    ],
)
def test_wrong_options_are_refused(tmp_path, wrong):
    with pytest.raises(ConfigurationError):
        train(tiny(tmp_path, 1, **wrong))
