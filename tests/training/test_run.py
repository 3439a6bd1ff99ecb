"""What all learners share: stopping a run at any moment loses nothing that was saved, and what is wrong is refused."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from learners import LEARNERS, LOOKAHEAD, MASKABLE_PPO, PPO, checkpoint, edit, learnt, refusal, updates_saved

from rat_envs.agents.learnt import load_policy
from rat_envs.engine.archive import PARTIAL_SUFFIX, write_archive
from rat_envs.engine.errors import CheckpointError, ConfigurationError
from rat_envs.engine.interrupts import SENT
from rat_envs.engine.registry import get_game
from rat_envs.training.checkpoints import CHECKPOINT, FORMAT
from rat_envs.training.descent import Descent
from rat_envs.training.ending import asked_to_end
from rat_envs.training.folder import CURVE, GATHERED, POLICY, PREVIOUS, TENSORBOARD, UNTRAINED, set_aside, whole_files
from rat_envs.training.ppo import PPOOptions
from rat_envs.training.progress import Report
from rat_envs.training.run import Run, train
from rat_envs.training.search_learner import SearchLearnerOptions

pytestmark = pytest.mark.usefixtures("usual_signals")

ROOT = Path(__file__).parents[2]


def test_run_reports_and_saves(learner, uninterrupted):
    folder, result, reports = uninterrupted
    assert [report.updates for report in reports] == [1, 2, 3, 4, 5, 6]
    assert [report.updates for report in reports if report.saved] == [2, 4, 6]
    assert reports[-1].fraction == 1.0
    assert (result.updates, result.steps, result.interrupted) == (6, learner.steps(6), False)
    assert load_policy(folder / POLICY, "brave_rats").training["steps"] == result.steps


def test_same_seed_gives_the_same_run(learner, uninterrupted, tmp_path):
    train(learner.tiny(tmp_path))
    assert learnt(tmp_path) == learnt(uninterrupted[0])


def test_other_seed_gives_another_run(learner, uninterrupted, tmp_path):
    train(learner.tiny(tmp_path, seed=1))
    assert learnt(tmp_path)[learner.weights] != learnt(uninterrupted[0])[learner.weights]


@pytest.mark.parametrize("updates", [0, 1, 5])
def test_resumed_run_equals_one_that_was_never_stopped(learner, uninterrupted, tmp_path, updates):
    train(learner.tiny(tmp_path, updates))
    assert updates_saved(tmp_path) == updates
    result = train(dataclasses.replace(learner.kind.saved(tmp_path), steps=learner.steps(6)))
    assert result.updates == 6
    assert learnt(tmp_path) == learnt(uninterrupted[0])


def test_tensorboard_logs_are_written(learner, tmp_path):
    train(learner.tiny(tmp_path, 2, tensorboard=True))
    assert any(tmp_path.glob("tensorboard/events.*"))


def start(options, after_update: str = "''") -> subprocess.Popen:
    """The run in a process of its own, which prints an expression of its ``report`` after every update."""
    kind = type(options)
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "  # it may be ignored here
        f"from rat_envs.training.run import train; from {kind.__module__} import {kind.__name__}; "
        f"result = train({options!r}, lambda report: print({after_update}, flush=True)); print(result.interrupted)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True)


def wait_for(folder, updates: int, process: subprocess.Popen) -> None:
    """Until the process has saved so many updates."""
    deadline = time.monotonic() + 120
    while not (folder / CHECKPOINT).exists() or updates_saved(folder) < updates:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(("name", "seconds"), [("ppo", 0.1), ("search", 0.25)])
def test_sigkill_at_any_moment_costs_one_interval_at_most(name, seconds, tmp_path):
    learner = LEARNERS[name]
    process = start(learner.tiny(tmp_path, 10**6), "report.updates")
    wait_for(tmp_path, 2, process)
    time.sleep(seconds)
    process.kill()
    last = int(process.communicate()[0].split()[-1])
    saved = updates_saved(tmp_path)
    assert saved % 2 == 0 and saved >= last - 2
    load_policy(tmp_path / POLICY, "brave_rats")
    train(dataclasses.replace(learner.kind.saved(tmp_path), steps=learner.steps(saved + 2)))
    assert not list(tmp_path.glob(f"*{PARTIAL_SUFFIX}"))
    train(learner.tiny(tmp_path / "again", saved + 2))
    assert learnt(tmp_path) == learnt(tmp_path / "again")


@pytest.mark.parametrize("number", [signal.SIGINT, *SENT])
def test_interrupt_ends_a_process_cleanly(number, tmp_path):
    process = start(PPO.tiny(tmp_path, 10**6, checkpoint_interval=10**6, evaluations=1), "report.updates")
    for line in process.stdout:
        if int(line) == 3:
            break
    process.send_signal(number)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and output.split()[-1] == "True"
    assert updates_saved(tmp_path) >= 3 and (tmp_path / CURVE).is_file()


def raising(number: int, update: int = 3):
    """A ``progress`` that sends this process a signal, twice, after an update."""

    def progress(report):
        if report.updates == update:
            signal.raise_signal(number)
            signal.raise_signal(number)

    return progress


@pytest.mark.parametrize("number", SENT)
def test_a_signal_that_comes_twice_saves_and_leaves_no_handler(number, tmp_path):
    result = train(PPO.tiny(tmp_path, 10**6, checkpoint_interval=1000, evaluations=1), raising(number))
    assert (result.interrupted, result.ended_by, updates_saved(tmp_path)) == (True, number, 3)
    assert signal.getsignal(number) is signal.SIG_DFL


@pytest.mark.skipif(len(SENT) < 2, reason="the system has one such signal")
def test_no_handler_takes_a_lock_that_a_second_signal_would_wait_for(monkeypatch):
    taken = []
    with asked_to_end() as ending, monkeypatch.context() as patch:
        patch.setattr(threading.Condition, "__enter__", lambda lock: taken.append(lock))
        for number in SENT:
            signal.raise_signal(number)
    assert ending.signal == SENT[0] and not taken


def test_what_has_ended_the_reader_of_the_progress_too_saves(tmp_path, monkeypatch):
    """As where a terminal sends Ctrl-C to a whole pipeline."""

    def update(run, before=Run.update):
        before(run)
        signal.raise_signal(SENT[0])

    def gone(report):
        raise BrokenPipeError

    monkeypatch.setattr(Run, "update", update)
    result = train(PPO.tiny(tmp_path / "run", 10**6, checkpoint_interval=1000), gone)
    assert result.interrupted and updates_saved(tmp_path / "run") == 1


@pytest.mark.parametrize("number", SENT)
def test_handlers_of_the_program_that_trains_stay(number, tmp_path):
    seen: list[int] = []
    own = lambda number, frame: seen.append(number)  # noqa: E731 (it is compared below)
    for handler, calls in ((own, [number, number]), (signal.SIG_IGN, [])):
        before = signal.signal(number, handler)
        try:
            result = train(PPO.tiny(tmp_path / str(len(calls)), 4), raising(number))
            assert signal.getsignal(number) is handler
        finally:
            signal.signal(number, before)
        assert (result.ended_by, result.updates, seen) == (None, 4, calls)
        seen.clear()


def test_in_another_thread_signals_are_left_alone(tmp_path):
    handlers: list[object] = []
    options = PPO.tiny(tmp_path, 1)
    thread = threading.Thread(target=train, args=(options, lambda report: handlers.extend(map(signal.getsignal, SENT))))
    thread.start()
    thread.join()
    assert handlers == [signal.SIG_DFL] * len(SENT) and updates_saved(tmp_path) == 1


def test_there_is_a_checkpoint_every_two_minutes_and_it_changes_nothing(learner, uninterrupted, tmp_path, monkeypatch):
    monkeypatch.setattr("rat_envs.training.run.MOST_UNSAVED", 0.0)
    reports: list[Report] = []
    train(learner.tiny(tmp_path, checkpoint_interval=1000), reports.append)
    assert all(report.saved for report in reports) and len(reports) == 6
    assert learnt(tmp_path) == learnt(uninterrupted[0])


def test_interrupt_saves(learner, tmp_path):
    def interrupt(report):
        if report.updates == 3:
            signal.raise_signal(signal.SIGINT)

    result = train(learner.tiny(tmp_path, 10**6, checkpoint_interval=1000, evaluations=1), interrupt)
    saved = updates_saved(tmp_path)
    assert result.interrupted and saved == 3
    assert load_policy(tmp_path / POLICY, "brave_rats").training["updates"] == saved
    assert (tmp_path / CURVE).is_file()


def test_crash_while_saving_leaves_the_checkpoint_before(learner, tmp_path, monkeypatch):
    run = learner.tiny(tmp_path).new_run()
    run.save()
    before = (tmp_path / CHECKPOINT).read_bytes()
    run.update()

    def crash(*arguments):
        raise OSError(errno.ENOSPC, "no space left")

    with monkeypatch.context() as patch:
        patch.setattr("rat_envs.engine.archive.os.replace", crash)
        with pytest.raises(OSError, match="no space"):
            run.save()
    assert (tmp_path / CHECKPOINT).read_bytes() == before
    assert train(learner.kind.saved(tmp_path)).updates == 6


@pytest.mark.parametrize("part", [0.0, 0.3, 0.99])
def test_truncated_checkpoint_is_refused(learner, stopped, part):
    whole = (stopped / CHECKPOINT).read_bytes()
    (stopped / CHECKPOINT).write_bytes(whole[: int(part * len(whole))])
    assert "truncated" in refusal(learner.tiny(stopped, 9, resume=True))


def test_numbers_of_another_type_are_refused(learner, stopped):
    header, arrays = checkpoint(stopped)
    of_each_part = {name.partition("/")[0]: name for name in arrays}
    assert {"games", "optimiser", "torch_random", "numpy_random"} < set(of_each_part)
    for name in of_each_part.values():
        write_archive(stopped / CHECKPOINT, header, {**arrays, name: arrays[name].astype(np.float64)})
        assert "float64" in refusal(learner.tiny(stopped, 9, resume=True)), name


def test_a_run_of_an_earlier_version_is_not_resumed(learner, tmp_path):
    (tmp_path / "checkpoint.npz").touch()
    assert "checkpoint.npz is of an earlier version" in refusal(learner.tiny(tmp_path, resume=True))
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint.npz"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": "rat-training/99"}, "rat-training/99"),
        ({"version": 99}, "version 99"),
        ({"game": "other_game"}, "for other_game"),
        ({"counters": {}}, CHECKPOINT),
        ({"options": {}}, CHECKPOINT),
        ({"numpy_random": {}}, CHECKPOINT),
    ],
)
def test_edited_checkpoint_is_refused(learner, stopped, change, reason):
    edit(stopped, **change)
    assert reason in refusal(learner.tiny(stopped, 9, resume=True))


def test_checkpoint_without_its_games_is_refused(learner, stopped):
    edit(stopped, without="games", games={})
    assert CHECKPOINT in refusal(learner.tiny(stopped, 9, resume=True))


def test_checkpoint_of_another_learner_is_refused(learner, stopped):
    other = MASKABLE_PPO if learner is LOOKAHEAD else LOOKAHEAD
    refused = refusal(other.tiny(stopped, 9, resume=True))
    assert f"{learner.kind.LEARNER!r}, not {other.kind.LEARNER!r}" in refused


def test_policy_is_no_checkpoint(learner, uninterrupted, stopped):
    (stopped / CHECKPOINT).write_bytes((uninterrupted[0] / POLICY).read_bytes())
    assert uninterrupted[1].agent.form in refusal(learner.tiny(stopped, 9, resume=True))


@pytest.mark.parametrize("kind", [PPOOptions, SearchLearnerOptions])
def test_a_checkpoint_names_no_cluster_unless_it_is_trusted(kind, tmp_path):
    options = kind(folder=str(tmp_path), ray="192.0.2.1:6379")
    game = get_game(options.game)
    header = {"format": FORMAT, "learner": kind.LEARNER, "game": game.name, "version": game.version}
    header["options"] = dataclasses.asdict(options)
    write_archive(tmp_path / CHECKPOINT, header, {})
    assert kind.saved(tmp_path).ray == ""
    assert kind.saved(tmp_path, trust=True).ray == options.ray
    assert dataclasses.replace(kind.saved(tmp_path), ray="local").ray == "local"


def test_nothing_to_resume_is_said(learner, tmp_path):
    assert "no run" in refusal(learner.tiny(tmp_path / "nowhere", resume=True))
    with pytest.raises(CheckpointError, match="no checkpoint"):
        learner.kind.saved(tmp_path)


def test_run_killed_before_its_first_checkpoint_starts_again(learner, tmp_path):
    assert train(learner.tiny(tmp_path, 1, resume=True)).updates == 1


def test_without_end_means_no_limit_and_can_be_read_again(learner, tmp_path):
    options = learner.tiny(tmp_path, 1, minutes=float("inf"))
    assert options.minutes is None
    train(options)
    load_policy(tmp_path / POLICY)
    assert train(learner.tiny(tmp_path, 2, resume=True, minutes=float("inf"))).updates == 2
    for minutes in (float("nan"), float("-inf")):
        with pytest.raises(ConfigurationError, match=f"minutes={minutes}: must be a number"):
            learner.tiny(tmp_path, 1, minutes=minutes)


def test_pytorch_is_as_it_was_after_a_training(learner, tmp_path):
    threads = torch.get_num_threads()
    torch.manual_seed(5)
    torch.set_num_threads(threads + 1)
    try:
        expected = torch.random.get_rng_state()
        train(learner.tiny(tmp_path, 1))
        assert torch.equal(torch.random.get_rng_state(), expected)
        assert torch.get_num_threads() == threads + 1
    finally:
        torch.set_num_threads(threads)


def test_a_folder_that_is_a_file_is_refused(learner, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("taken").write_text("mine")
    for place in ("taken", "taken/within"):
        with pytest.raises(CheckpointError, match=f"{place} is a file, or would lie in one: name a folder"):
            train(learner.tiny(Path(place), 1))
    assert Path("taken").read_text() == "mine"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"hidden": 32}, "hidden=32: must be a list of whole numbers"),
        ({"hidden": [1.5]}, r"hidden=\[1.5\]: must be a list of whole numbers"),
        ({"opponents": ["greedy"]}, r"opponents=\['greedy'\]: must be numbers by name"),
        ({"opponents": {"greedy": "0.5"}}, "opponents={'greedy': '0.5'}: must be numbers by name"),
        ({"seed": None}, "seed=None: must be a whole number"),
        ({"folder": 5}, "folder=5: must be a text or None"),
        ({"steps": 1.5}, "steps=1.5: must be a whole number or None"),
        ({"num_games": 2.5}, "num_games=2.5: must be a whole number"),
        ({"seed": -1}, "seed=-1: must be a whole number from 0 to .*"),
        ({"seed": 2**64}, f"seed={2**64}: must be a whole number from 0 to .*"),
        ({"steps": -5}, "steps=-5: must be 0 or more"),
        ({"minutes": -1}, "minutes=-1.0: must be 0 or more"),
        ({"evaluations": -1}, "evaluations=-1: must be 0 or more"),
    ],
)
def test_a_value_of_another_type_is_refused(changes, sentence):
    with pytest.raises(ConfigurationError, match=f"^{sentence}.$"):
        PPOOptions(**{"game": "brave_rats", "minutes": None, "steps": 100, **changes})


def test_an_agent_of_the_run_that_is_replaced_is_refused_before_anything_moves(tmp_path):
    """With its file moved the new run could not be resumed."""
    train(PPO.tiny(tmp_path, 1))
    before = (tmp_path / POLICY).read_bytes()
    (tmp_path / "link").symlink_to(tmp_path)
    copied = tmp_path / "copied.safetensors"
    copied.write_bytes(before)
    for where in (tmp_path / POLICY, tmp_path / "link" / POLICY, tmp_path / "." / POLICY):
        for changes in ({"teacher": str(where), "teacher_steps": 10}, {"opponents": {str(where): 0.5}}):
            with pytest.raises(CheckpointError, match=r"would be moved away by this run: copy it, and name the copy"):
                train(PPO.tiny(tmp_path, 1, replace=True, **changes))
    assert (tmp_path / POLICY).read_bytes() == before and not (tmp_path / PREVIOUS).exists()
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / UNTRAINED).write_bytes(before)
    with pytest.raises(CheckpointError, match=r"would be moved away by this run"):
        train(PPO.tiny(tmp_path / "half", 1, opponents={str(tmp_path / "half" / UNTRAINED): 0.5}))
    train(PPO.tiny(tmp_path, 1, replace=True, opponents={str(copied): 0.5}))
    train(PPO.tiny(tmp_path, 2, resume=True, opponents={str(copied): 0.5}))
    with pytest.raises(CheckpointError, match=r"would be moved away by this run"):
        train(PPO.tiny(tmp_path, 1, replace=True, opponents={str(tmp_path / PREVIOUS / POLICY): 0.5}))


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_log_that_cannot_be_written_ends_and_the_run_goes_on(learner, uninterrupted, tmp_path, monkeypatch, capsys):
    from tensorboard.summary.writer.record_writer import RecordWriter

    written = []

    def write(self, data):
        written.append(data)
        if len(written) > 4:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(RecordWriter, "write", write)
    hook = threading.excepthook

    def wait(report):
        time.sleep(0.2)  # for TensorBoard's thread

    with pytest.warns(UserWarning, match=r"^The log for TensorBoard ends here \(No space left on device\)\.$"):
        train(learner.tiny(tmp_path, tensorboard=True), wait)
    assert learnt(tmp_path) == learnt(uninterrupted[0])
    assert len(written) > 4 and "Traceback" not in capsys.readouterr().err
    assert threading.excepthook is hook


def test_a_preset_brings_its_options():
    options = PPOOptions(game="rattus", preset="small", steps=10, minutes=None)
    assert options.config == dict(get_game("rattus").preset("small").options)
    assert PPOOptions(game="rattus", config=None).config == {}
    options.new_run().close()


def test_a_folder_whose_name_is_no_text_is_refused_before_anything_is_made(learner, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # so that the name is short
    folder = Path(os.fsdecode(b"run\xff"))
    with pytest.raises(ConfigurationError, match=r"^folder='.*run\\ud.*: must be text in UTF-8 without a zero byte"):
        learner.tiny(folder, 1)
    with pytest.raises(ConfigurationError, match=r"^folder='a\\x00b': must be text in UTF-8 without a zero byte"):
        learner.tiny("a\0b", 1)
    assert not list(tmp_path.iterdir())


def test_a_policy_too_large_to_be_read_is_refused_before_anything_is_written(learner, tmp_path, monkeypatch):
    monkeypatch.setattr("rat_envs.agents.learnt.MOST_BYTES", 1000)
    with pytest.raises(ConfigurationError, match=r"The policy's file would have .* smaller layers"):
        train(learner.tiny(tmp_path / "new", 1))
    assert not (tmp_path / "new").exists() or not list((tmp_path / "new").glob("*.safetensors"))


def test_numbers_that_are_not_finite_replace_nothing_that_was_saved(tmp_path, monkeypatch):
    train(PPO.tiny(tmp_path, 2))
    saved = {name: (tmp_path / name).read_bytes() for name in (POLICY, CHECKPOINT)}
    monkeypatch.setattr(Descent, "step", lambda descent, gradient: descent.all.fill_(np.nan))
    with pytest.raises(CheckpointError, match=r"is not written, and what it held before stays: the array .* finite"):
        train(dataclasses.replace(PPO.kind.saved(tmp_path), steps=PPO.steps(3)))
    assert saved == {name: (tmp_path / name).read_bytes() for name in (POLICY, CHECKPOINT)}


def test_a_run_is_replaced_only_when_asked_and_kept_beside(learner, tmp_path):
    tiny = {"tensorboard": True, "evaluations": 1}
    train(learner.tiny(tmp_path, 1, **tiny))
    files = {path: path.read_bytes() for path in tmp_path.glob("*.s*")}
    assert {path.name for path in files} == {CHECKPOINT, POLICY, UNTRAINED, CURVE}
    for name in (CHECKPOINT, POLICY):
        (tmp_path / name).rename(tmp_path / "away")
        assert "holds a run" in refusal(learner.tiny(tmp_path, 1, **tiny))
        (tmp_path / "away").rename(tmp_path / name)
    assert {path: path.read_bytes() for path in tmp_path.glob("*.s*")} == files
    for _ in range(2):
        train(learner.tiny(tmp_path, 2, replace=True, **tiny))
        assert updates_saved(tmp_path) == 2
        assert len(list((tmp_path / TENSORBOARD).iterdir())) == 1, "those of different runs do not mix"
    assert updates_saved(tmp_path / PREVIOUS) == 2 and (tmp_path / PREVIOUS / CURVE).is_file()
    train(learner.tiny(tmp_path, 3, resume=True, **tiny))
    assert len(list((tmp_path / TENSORBOARD).iterdir())) == 2, "the same run goes on"


def fill_folder(folder: Path, content: str) -> None:
    """The files of a run, in name."""
    (folder / TENSORBOARD).mkdir()
    for path in (folder / POLICY, folder / CHECKPOINT, folder / TENSORBOARD / "events"):
        path.write_text(content)


@pytest.mark.parametrize("moves", range(4))
def test_a_run_that_is_killed_while_it_replaces_another_loses_nothing(tmp_path, monkeypatch, moves):
    fill_folder(tmp_path, "the first")
    set_aside(tmp_path)
    fill_folder(tmp_path, "the second")
    left = [moves]

    def killed_after_some(*paths: Path, move=os.replace) -> None:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        move(*paths)

    with monkeypatch.context() as patch:
        patch.setattr("rat_envs.training.folder.os.replace", killed_after_some)
        with pytest.raises(KeyboardInterrupt):
            set_aside(tmp_path)
    set_aside(tmp_path)
    saved = {path.name: path.read_text() for path in (tmp_path / PREVIOUS).rglob("*") if path.is_file()}
    assert saved == dict.fromkeys((POLICY, CHECKPOINT, "events"), "the second")
    assert [path.name for path in tmp_path.iterdir()] == [PREVIOUS]


def test_where_nothing_was_saved_a_full_disk_does_not_promise_a_resumption(tmp_path):
    fill_folder(tmp_path, "the first")
    set_aside(tmp_path)
    said = r"nothing had been saved before, and .*previous holds the run that was"
    with pytest.raises(CheckpointError, match=said), whole_files(tmp_path):
        raise OSError(errno.ENOSPC, "no space left")


def test_where_the_replaced_run_could_not_be_put_away_it_is_named_where_it_is(tmp_path):
    (tmp_path / GATHERED).mkdir()
    fill_folder(tmp_path / GATHERED, "the first")  # by a process that was killed
    with pytest.raises(CheckpointError, match=rf"{GATHERED} holds the run that was"), whole_files(tmp_path):
        raise OSError(errno.ENOSPC, "no space left")


@pytest.mark.parametrize("name", [POLICY, TENSORBOARD, CHECKPOINT, GATHERED])
def test_a_run_that_is_open_in_tensorboard_is_not_moved_in_part(tmp_path, monkeypatch, name):
    fill_folder(tmp_path, "the first")

    def is_open(source, target, move=os.replace):
        if source == tmp_path / name:
            raise PermissionError(13, "Access is denied", str(source))
        move(source, target)

    with monkeypatch.context() as patch:
        patch.setattr("rat_envs.training.folder.os.replace", is_open)
        with pytest.raises(CheckpointError) as error, whole_files(tmp_path):
            set_aside(tmp_path)
    said, _, hint = str(error.value).partition(": ")
    assert said == f"{tmp_path} cannot be replaced (Access is denied), and stays as it was"
    assert hint == "close what has its files open, such as TensorBoard."
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {POLICY, CHECKPOINT, f"{TENSORBOARD}/events"} and not (tmp_path / GATHERED).exists()
    set_aside(tmp_path)
    assert (tmp_path / PREVIOUS / TENSORBOARD / "events").read_text() == "the first"


def test_a_run_that_cannot_be_moved_back_is_named_where_it_is(tmp_path, monkeypatch):
    fill_folder(tmp_path, "the first")
    left = [1]

    def fails_after_one(*paths, move=os.replace):
        left[0] -= 1
        if left[0] < 0:
            raise PermissionError(13, "Access is denied")
        move(*paths)

    monkeypatch.setattr("rat_envs.training.folder.os.replace", fails_after_one)
    with pytest.raises(CheckpointError, match=rf"denied\), and {GATHERED} in it holds a part of the run: close what"):
        set_aside(tmp_path)
    assert (tmp_path / GATHERED / POLICY).read_text() == "the first"


def test_on_windows_a_reader_that_has_gone_is_no_failed_write(tmp_path, monkeypatch):
    closed = OSError(errno.EINVAL, "Invalid argument")
    with pytest.raises(CheckpointError, match="failed"), whole_files(tmp_path):
        raise closed
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(OSError, match="Invalid argument") as error, whole_files(tmp_path):
        raise closed
    assert error.value is closed


def test_a_policy_without_a_checkpoint_is_not_resumed(learner, uninterrupted, tmp_path):
    (tmp_path / POLICY).write_bytes((uninterrupted[0] / POLICY).read_bytes())
    assert "no checkpoint to resume" in refusal(learner.tiny(tmp_path, resume=True))


def test_resumed_and_replaced_is_refused(learner, tmp_path):
    with pytest.raises(ConfigurationError, match="not both"):
        learner.tiny(tmp_path, resume=True, replace=True)


def test_two_runs_at_once_do_not_share_a_folder(learner, tmp_path):
    refused = []

    def another(report) -> None:
        refused.append(refusal(learner.tiny(tmp_path, 3, resume=True)))

    train(learner.tiny(tmp_path, 1), another)
    assert refused and "Another run is writing to" in refused[0]
    assert train(learner.tiny(tmp_path, 2, resume=True)).updates == 2


def test_a_full_disk_ends_in_a_sentence_and_loses_nothing_saved(learner, tmp_path, monkeypatch):
    def no_space(descriptor) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def fill(report) -> None:
        if report.updates == 3:
            monkeypatch.setattr(os, "fsync", no_space)

    with pytest.raises(
        CheckpointError, match=rf"^Writing .*{CHECKPOINT} failed \(No space left on device\): the .*\.$"
    ):
        train(learner.tiny(tmp_path), fill)
    monkeypatch.undo()
    assert not list(tmp_path.glob(f"*{PARTIAL_SUFFIX}")) and updates_saved(tmp_path) == 2
    assert train(learner.kind.saved(tmp_path)).updates == 6


def test_a_run_says_when_it_will_end(uninterrupted):
    left = [report.seconds_left for report in uninterrupted[2]]
    assert all(seconds > 0 for seconds in left[:-1]) and left[-1] == 0


def test_without_a_folder_every_game_has_its_own():
    kinds = {"brave_rats": (LOOKAHEAD, PPO, MASKABLE_PPO), "rattus": (PPO, MASKABLE_PPO)}
    places = [str(each.kind(game=game).place) for game, learners in kinds.items() for each in learners]
    of_brave_rats = ["runs/brave_rats", "runs/brave_rats-ppo", "runs/brave_rats-maskable_ppo"]
    assert places == [*of_brave_rats, "runs/rattus", "runs/rattus-maskable_ppo"]


def test_a_refusal_leaves_the_folder_as_it_was(learner, uninterrupted, tmp_path):
    for name in (CHECKPOINT, POLICY, "untrained.safetensors"):
        (tmp_path / name).write_bytes((uninterrupted[0] / name).read_bytes())
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    config, reason = learner.refused
    with pytest.raises(ConfigurationError, match=reason):
        train(learner.tiny(tmp_path, config=config, tensorboard=True, replace=True))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_what_is_no_run_is_not_deleted_with_one(tmp_path):
    (tmp_path / PREVIOUS).mkdir()
    notes = tmp_path / PREVIOUS / "notes.txt"
    notes.write_text("of somebody")
    fill_folder(tmp_path, "the first")
    with pytest.raises(CheckpointError, match=r"previous is in the way of the run that is replaced: move it away\.$"):
        set_aside(tmp_path)
    assert notes.read_text() == "of somebody" and (tmp_path / CHECKPOINT).read_text() == "the first"


def test_options_are_what_they_are_in_a_file(tmp_path):
    shares = {"random": np.float64(0.5)}
    made = PPOOptions(folder=tmp_path, steps=np.int64(100), hidden=[64, np.int32(32)], opponents=shares)
    assert (made.folder, made.hidden, made.opponents) == (str(tmp_path), (64, 32), {"random": 0.5})
    assert json.loads(json.dumps(dataclasses.asdict(made)))["steps"] == 100


@pytest.mark.parametrize(("file", "name"), [("LARGEST_ARCHIVE", "ppo"), ("LARGEST_POLICY", "maskable_ppo")])
def test_what_would_grow_too_large_is_refused_at_the_beginning(tmp_path, monkeypatch, file, name):
    options = LEARNERS[name].tiny(tmp_path / "run", **({"opponents": {"frozen": 0.5}} if name == "ppo" else {}))
    run = options.new_run()
    one = sum(array.nbytes for array in run.agent().contents()[1].values())
    run.close()
    monkeypatch.setattr(f"rat_envs.training.run.{file}", 3 * one)
    with pytest.raises(ConfigurationError, match=r"^With all its frozen selves a file .* smaller history"):
        train(options)
    assert not (tmp_path / "run").exists()


def test_a_log_that_meets_a_full_disk_does_not_say_how_the_run_has_ended(tmp_path, monkeypatch):
    def full(self):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("stable_baselines3.common.logger.Logger.close", full)
    PPO.tiny(tmp_path).new_run().close()
    assert train(PPO.tiny(tmp_path)).updates == 6
    with pytest.raises(CheckpointError, match="holds a run"):
        train(PPO.tiny(tmp_path))
