"""One process at a time writes to a folder; what dead ones have left half-written goes; a full disk loses nothing."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from rat_envs.arena import make_plan, play_tournament
from rat_envs.arena.folder import Folder
from rat_envs.comparison.benchmark import play_missing
from rat_envs.engine.archive import PARTIAL_SUFFIX, write_file
from rat_envs.engine.errors import CheckpointError
from rat_envs.engine.folders import LOCK, locked, locked_file
from rat_envs.ladder.climb import climb

HOLD = """
import sys, time
from pathlib import Path
from rat_envs.engine.folders import locked
with locked(Path(sys.argv[1])):
    print("it is mine", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def held(tmp_path):
    """A folder that another process writes to, and that process."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "it is mine\n"
    yield tmp_path, process
    process.kill()
    process.communicate()


def test_a_second_process_is_refused_until_the_first_has_died(held):
    folder, process = held
    with (
        pytest.raises(CheckpointError, match=r"^Another run is writing to .*: wait until it has ended"),
        locked(folder),
    ):
        pass
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    with locked(folder):
        pass


@pytest.mark.skipif(os.name != "posix", reason="flock")
def test_where_the_file_system_has_no_locks_a_file_is_one(tmp_path, monkeypatch):
    monkeypatch.setattr("fcntl.flock", failing(errno.ENOLCK))
    for place, hold in ((tmp_path / "run", locked), (tmp_path / "ladder.json", locked_file)):
        with hold(place):
            name = f"{LOCK}.held" if hold is locked else f".ladder.json{LOCK}.held"
            (held,) = tmp_path.rglob(name)
            words = f"If no run is at work there, delete {re.escape(str(held))}\\.$"
            with pytest.raises(CheckpointError, match=words), hold(place):
                pass
        with hold(place):
            pass
        assert not held.exists()


@pytest.mark.skipif(os.name != "posix", reason="flock")
def test_a_file_that_cannot_be_locked_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("fcntl.flock", failing(errno.EIO))
    with pytest.raises(CheckpointError, match=r"\.lock cannot be locked \(Input/output error\)"), locked(tmp_path):
        pass


def failing(number):
    """What the system answers to every call."""

    def fail(*arguments):
        raise OSError(number, os.strerror(number))

    return fail


def test_half_written_files_of_dead_processes_go_and_nothing_else(tmp_path):
    inner = tmp_path / "chunks"
    inner.mkdir()
    kept = [tmp_path / "policy.safetensors", inner / "chunk.safetensors", inner / "deeper" / f"x{PARTIAL_SUFFIX}"]
    kept[2].parent.mkdir()
    for path in (*kept, tmp_path / f"policy.safetensors{PARTIAL_SUFFIX}", inner / f"chunk.safetensors{PARTIAL_SUFFIX}"):
        path.write_text("something")
    with locked(tmp_path):
        pass
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file() and path.name != ".lock") == sorted(kept)


@pytest.mark.skipif(os.name != "posix", reason="links need a right of their own")
@pytest.mark.parametrize("there", [True, False])
def test_a_link_in_the_place_of_a_half_written_file_is_not_followed(tmp_path, there):
    other, path = tmp_path / "others", tmp_path / "run" / "policy"
    path.parent.mkdir()
    if there:
        other.write_text("something")
    partial = path.with_name(path.name + PARTIAL_SUFFIX)
    partial.symlink_to(other)
    write_file(path, b"new", mode=0o600)
    assert path.read_text() == "new" and not path.is_symlink() and path.stat().st_mode & 0o777 == 0o600
    assert other.exists() is there and (not there or other.read_text() == "something")
    partial.symlink_to(other)
    with locked(path.parent):
        assert not partial.is_symlink()
    assert other.exists() is there


def test_files_of_others_stay(tmp_path):
    """In any folder, ``--folder .`` among them, and in that of another run, which may be writing."""
    run = tmp_path / "run"
    run.mkdir()
    kept = [tmp_path / "film.partial", run / f"policy.safetensors{PARTIAL_SUFFIX}", run / LOCK]
    for path in kept:
        path.write_text("something")
    with locked(tmp_path):
        pass
    assert all(path.exists() for path in kept)


def test_a_file_is_locked_by_itself(tmp_path):
    partial = tmp_path / f"ladder.json{PARTIAL_SUFFIX}"
    partial.write_text("half")
    with locked_file(tmp_path / "ladder.json"), locked_file(tmp_path / "benchmark.json"):
        assert not partial.exists()
        with pytest.raises(CheckpointError, match="Another run is writing to"), locked_file(tmp_path / "ladder.json"):
            pass


def test_a_tournament_keeps_others_out_of_its_folder(held):
    folder, _ = held
    plan = make_plan("brave_rats", ["random", "greedy"], games=8)
    with pytest.raises(CheckpointError, match="Another run is writing to"):
        play_tournament(plan, folder=Folder(folder, plan))


@pytest.mark.parametrize("play", [lambda path: climb(path, []), lambda path: play_missing(path, [])])
def test_the_ladder_and_the_benchmark_keep_others_from_their_files(tmp_path, play):
    path = tmp_path / "results.json"
    with locked_file(path), pytest.raises(CheckpointError, match="Another run is writing to"):
        play(path)
    play(path)


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_nothing_half_written_is_left(tmp_path, monkeypatch, error):
    path = tmp_path / "file"
    path.write_text("old")

    def fail(descriptor):
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(type(error)) as caught:
        write_file(path, b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["file"] and path.read_text() == "old"
    assert getattr(caught.value, "filename", str(path)) == str(path)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("games", ["1", "300"])
def test_a_full_disk_behind_the_output_is_said_in_a_sentence(games, unbuffered):
    command = [sys.executable, "-m", "rat_envs", "record", "brave_rats", "--games", games]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w") as full:
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment)
    assert (ended.returncode, ended.stderr) == (1, "Error: No space left on device: the output.\n")


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is sent as a signal")
@pytest.mark.parametrize("files", [1, 4])
def test_ctrl_c_while_rules_are_compiled_ends_with_exit_code_1(tmp_path, files):
    command = [sys.executable, "-m", "rat_envs", "record", "rattus_cartus", "--games", "100000"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "RAT_ENVS_CACHE": str(tmp_path)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # it may be ignored here
    )
    while process.poll() is None and sum(path.is_file() for path in tmp_path.rglob("*")) < files:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1] == "Compiling Rattus Cartus: about 30 s, once.\nInterrupted.\n"
    assert process.returncode == 1
