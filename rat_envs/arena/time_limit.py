"""A time limit for agents' decisions: a worker process ends itself if an agent does not answer.

Only this works in every case. An agent may catch any exception that is raised in it; and while C code runs that never
returns, no exception can be raised and no other Python thread runs. Python's ``faulthandler`` needs neither: after the
time it writes down where every thread is, and ends the process. The process that started the worker reads that.
"""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rat_envs.api.agent import Agent, chosen_actions
from rat_envs.api.agent_code import AgentError, is_of_library, name_of
from rat_envs.api.seats import SeatViews
from rat_envs.arena.jobs import Chunk, Job, play_job
from rat_envs.engine.errors import shown_path

__all__ = ["SECONDS_AT_FIRST", "TimeLimit", "overstepped", "play_watched"]

#: The additional time of the first call of an agent in a process, in which code is compiled and files are loaded.
SECONDS_AT_FIRST = 60.0
#: The longest time that every system can wait.
MOST_SECONDS = 4_000_000.0
#: A line of what ``faulthandler`` writes.
CALL = re.compile(r'  File "(.*)", line (\d+) in ')


class TimeLimit(NamedTuple):
    """How long agents may take, by the clock.

    Attributes:
        seconds: for a decision. A call that asks for several decisions has this time for each of them.
        at_first: additional time of the first call of an agent in a process.
    """

    seconds: float
    at_first: float


class _Watch:
    """The watch over one worker process. One file says what the process is doing, and another where it was ended.

    Args:
        folder: the folder of these files.
    """

    def __init__(self, limit: TimeLimit, folder: Path) -> None:
        self.limit = limit
        self.note = (folder / f"{os.getpid()}.json").open("w", encoding="utf-8")
        self.calls = (folder / f"{os.getpid()}.txt").open("w", encoding="utf-8")
        self.known: set[str] = set()

    def ask(self, job: Job, agent: Agent, views: SeatViews) -> np.ndarray:
        """The agent's actions; the process ends if it takes too long."""
        name = name_of(agent)
        more = 0.0 if name in self.known else self.limit.at_first
        seconds = self.limit.seconds * len(views) + more
        self._write({"agent": name, "match": job.match, "chunk": job.chunk, "decisions": len(views), "more": more})
        faulthandler.dump_traceback_later(min(seconds, MOST_SECONDS), exit=True, file=self.calls)
        try:
            return chosen_actions(agent, views)
        finally:
            faulthandler.cancel_dump_traceback_later()
            self.known.add(name)

    def _write(self, values: dict[str, Any]) -> None:
        self.note.seek(0)
        self.note.write(json.dumps(values))
        self.note.truncate()
        self.note.flush()


@functools.lru_cache(1)
def _watch(limit: TimeLimit, folder: Path) -> _Watch:
    """The watch of this process."""
    return _Watch(limit, folder)


def play_watched(job: Job, limit: TimeLimit, folder: Path) -> Chunk:
    """Run :func:`play_job` in a worker process, which ends if an agent takes too long.

    Args:
        folder: the folder in which the reason is written.
    """
    return play_job(job, functools.partial(_watch(limit, folder).ask, job))


def overstepped(folder: Path, limit: TimeLimit, job: Job) -> AgentError | None:
    """The error of the agent that took too long, read from the files of the process that has ended; None if none has.

    Args:
        job: any job of the tournament.
    """
    for calls in sorted(folder.glob("*.txt")):
        if place := calls.read_text(encoding="utf-8", errors="replace"):
            with contextlib.suppress(OSError, ValueError, KeyError):
                return _error_of(json.loads(calls.with_suffix(".json").read_text(encoding="utf-8")), place, limit, job)
    return None


def _error_of(note: dict[str, Any], calls: str, limit: TimeLimit, job: Job) -> AgentError:
    plan, match, count, more = job.plan, note["match"], note["decisions"], note["more"]
    deals = plan.deals_of(note["chunk"])
    names = ", ".join(shown_path(plan.agents[place].name) for place in plan.matches[match])
    at_once = f", {count:,} of them at once" if count > 1 else ""
    at_first = f", and {more:g} s more at first" if more else ""
    return AgentError(
        f"The agent {shown_path(note['agent'])} has not answered in {limit.seconds * count + more:g} s "
        f"({limit.seconds:g} s a decision{at_once}{at_first}){_place_in(calls)}, in match {match} ({names}), deals "
        f"{deals.start} to {deals.stop - 1}. Finished chunks are kept if there is a folder for them: mend the agent or "
        "leave it out, and go on there."
    )


def _place_in(calls: str) -> str:
    """The place in the agent's own code, from what ``faulthandler`` has written of all threads, the main one last."""
    last = calls.split("Thread ")[-1].split("thread ")[-1]
    return "".join(f" at {shown_path(file.name)}, line {line}" for file, line in list(_own_calls(last))[:1])


def _own_calls(calls: str) -> Iterator[tuple[Path, str]]:
    """File and line of a thread's calls outside of libraries, the last one first, back to our call of the agent."""
    for name, line in CALL.findall(calls):
        if name == __file__:
            return
        if not is_of_library(Path(name)):
            yield Path(name), line
