"""Agents that do not answer: a tournament with a limit of time ends, says which it is, and keeps what was played."""

from __future__ import annotations

import faulthandler
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rat_envs.api.agent_code import AgentError
from rat_envs.arena import in_processes, make_plan, play_tournament, read_manifest, time_limit, workers
from rat_envs.arena.jobs import Job, play_job
from rat_envs.arena.time_limit import TimeLimit, overstepped, play_watched
from rat_envs.commands.main import app
from rat_envs.engine.errors import ConfigurationError, RatEnvsError

#: Never returns from the second decision of a game on, in code of C that lets no other thread of Python run.
BOT = """
import itertools
from rat_envs.agents.random import RandomAgent

class Bot(RandomAgent):
    calls = 0

    def act_batch(self, views):
        self.calls += 1
        return self.think() if self.calls == 2 else super().act_batch(views)

    def think(self):
        return sum(itertools.repeat(0))
"""
CALLS = """Timeout (0:00:02)!
Thread 0x00007f0b1f7fe6c0 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 320 in wait
  File "/home/amy/other.py", line 1 in run

Thread 0x00007f0b44d39740 (most recent call first):
  File "{package}/api/seats.py", line 3 in determinize
  File "/venv/lib/python3.11/site-packages/numpy/linalg.py", line 44 in solve
  File "/home/amy/bot.py", line 12 in think
  File "/home/amy/bot.py", line 7 in act_batch
  File "{package}/api/agent.py", line 320 in chosen_actions
  File "{own}", line 70 in ask
  File "/home/organiser/script.py", line 3 in <module>
"""
LIMIT = TimeLimit(0.5, 3.0)


def some_job(*agents: str) -> Job:
    return Job(make_plan("brave_rats", agents, {"fast": True}, games=8, seed=3, chunk=2), 0, 1)


def test_an_agent_that_does_not_answer_is_named_and_can_be_left_out(tmp_path: Path) -> None:
    bot, out = tmp_path / "bot.py", tmp_path / "out"
    bot.write_text(BOT)
    command = ["arena", "brave_rats", "fast=true", "random", "greedy", "--games", "8", "--seed", "3", "--json"]
    command += ["--out", str(out), "--workers", "1", "--chunk", "2"]
    result = CliRunner().invoke(app, [*command, f"{bot}:Bot", "--seconds-per-decision", "0.25"])
    assert result.exit_code == 1 and isinstance(result.exception, AgentError)
    said = str(result.exception)
    assert said.startswith(f"The agent {bot}:Bot has not answered in ") and "(0.25 s a decision" in said
    assert f" at bot.py, line 13, in match 1 (random, {bot}:Bot), deals 0 to 1. Finished chunks are kept" in said
    assert read_manifest(out / "manifest.json").records is None
    assert [file.name for file in (out / "chunks").iterdir()] == ["match-0-chunk-0.safetensors"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0 and "Of 8 games 4 are kept as they were played, and 4 are to be" in result.stderr
    plan = make_plan("brave_rats", ["random", "greedy"], {"fast": True}, games=8, seed=3, chunk=2)
    assert json.loads(result.stdout) == json.loads(json.dumps(play_tournament(plan).to_json()))


def test_decisions_asked_for_at_once_have_so_many_times_as_long_and_the_first_ones_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[tuple[float, bool]] = []
    asked: list[tuple[str, int]] = []
    ended: list[int] = []
    monkeypatch.setattr(
        faulthandler, "dump_traceback_later", lambda seconds, **named: waited.append((seconds, named["exit"]))
    )
    monkeypatch.setattr(faulthandler, "cancel_dump_traceback_later", lambda: ended.append(len(waited)))

    def noted(agent, views):
        note = json.loads(next(tmp_path.glob("*.json")).read_text())
        assert (note["agent"], note["match"], note["chunk"], note["decisions"]) == (agent.name, 0, 1, len(views))
        asked.append((agent.name, len(views)))
        return chosen_actions(agent, views)

    chosen_actions = time_limit.chosen_actions
    monkeypatch.setattr(time_limit, "chosen_actions", noted)
    job = some_job("greedy", "random")
    chunk, plain = play_watched(job, LIMIT, tmp_path), play_job(job)
    assert chunk.records == plain.records and chunk.actions.tolist() == plain.actions.tolist()
    first = {name: asked.index((name, count)) for name, count in reversed(asked)}
    assert all(ends for _, ends in waited) and ended == list(range(1, len(waited) + 1))
    for number, ((name, count), (seconds, _)) in enumerate(zip(asked, waited, strict=True)):
        assert seconds == 0.5 * count + (3.0 if number == first[name] else 0.0)
    before = len(waited)
    play_watched(job, LIMIT, tmp_path)
    assert waited[before][0] == 0.5 * asked[before][1], "this process knows them"


def test_nobody_waits_for_an_agent_that_has_raised_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[bool] = []
    monkeypatch.setattr(faulthandler, "cancel_dump_traceback_later", lambda: ended.append(True))
    monkeypatch.setattr(faulthandler, "dump_traceback_later", lambda *arguments, **named: None)
    monkeypatch.setattr("rat_envs.agents.random.RandomAgent.act_batch", lambda self, views: {}["hand"])
    with pytest.raises(AgentError, match="The agent random raises KeyError"):
        play_watched(some_job("random", "greedy"), LIMIT, tmp_path)
    assert ended[-1:] == [True]


def test_what_an_ended_process_has_written_becomes_a_sentence(tmp_path: Path) -> None:
    job, note = some_job("random", "bot.py:Bot"), {"agent": "bot.py:Bot", "match": 0, "chunk": 1}
    package = Path(time_limit.__file__).parents[1]
    assert overstepped(tmp_path, LIMIT, job) is None
    (tmp_path / "1.json").write_text(json.dumps({**note, "agent": "random", "decisions": 1, "more": 0.0}))
    (tmp_path / "1.txt").touch()
    assert overstepped(tmp_path, LIMIT, job) is None, "it was at work when another one ended"
    (tmp_path / "2.json").write_text(json.dumps({**note, "decisions": 4, "more": 3.0}))
    (tmp_path / "2.txt").write_text(CALLS.format(package=package, own=time_limit.__file__))
    assert str(overstepped(tmp_path, LIMIT, job)) == (
        "The agent bot.py:Bot has not answered in 5 s (0.5 s a decision, 4 of them at once, and 3 s more at first) at "
        "bot.py, line 12, in match 0 (random, bot.py:Bot), deals 2 to 3. Finished chunks are kept if there is a folder "
        "for them: mend the agent or leave it out, and go on there."
    )
    (tmp_path / "2.json").write_text(json.dumps({**note, "decisions": 1, "more": 0.0}))
    (tmp_path / "2.txt").write_text("Timeout (0:00:02)!\n")
    assert " in 0.5 s (0.5 s a decision), in match 0 (" in str(overstepped(tmp_path, LIMIT, job))
    (tmp_path / "2.json").write_text("{")
    assert overstepped(tmp_path, LIMIT, job) is None


def test_other_errors_of_workers_are_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(jobs: Sequence[Job], number: int, play: object):
        yield play_job(jobs[0])
        raise error from cause

    error, cause = RatEnvsError("The agent raises an error."), ValueError("there")
    monkeypatch.setattr(workers, "_in_pool", fail)
    with pytest.raises(RatEnvsError) as caught:
        list(in_processes([some_job("random", "greedy")], 1, 5.0))
    assert caught.value is error and error.__cause__ is cause
    assert list(in_processes([], 1, 5.0)) == []


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan"), float("inf")])
def test_a_limit_is_a_number_above_0(seconds: float) -> None:
    with pytest.raises(ConfigurationError, match=r"^seconds_per_decision=.*: must be a number above 0"):
        list(in_processes([some_job("random", "greedy")], 1, seconds))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seconds-per-decision", "0"], "--seconds-per-decision"),
        (["--seconds-per-decision", "nan"], "--seconds-per-decision"),
        (["--seconds-per-decision", "1", "--ray", "local"], "only processes on this machine have a limit of time"),
    ],
)
def test_wrong_limits_are_no_command(arguments: list[str], words: str) -> None:
    result = CliRunner().invoke(app, ["arena", "brave_rats", "greedy", "random", *arguments])
    assert result.exit_code == 2 and words in " ".join(result.stderr.replace("│", " ").split())


def test_with_a_limit_chunks_are_small_unless_the_folder_has_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(name: str, *more: str) -> int:
        out = tmp_path / name
        words = ["brave_rats", "fast=true", "greedy", "random", "--games", "8", "--workers", "1", "--out", str(out)]
        assert CliRunner().invoke(app, ["arena", *words, *more]).exit_code == 0
        return read_manifest(out / "manifest.json").plan.chunk

    monkeypatch.setattr(workers, "_in_pool", lambda jobs, number, play: map(play_job, jobs))
    limit = ["--seconds-per-decision", "5"]
    assert (run("some", *limit), run("others", *limit, "--chunk", "3")) == (4, 3)
    assert run("some") == 4, "without the limit it goes on"
    assert (run("more"), run("more", *limit)) == (256, 256)
