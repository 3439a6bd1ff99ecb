"""A limit of time for agents' decisions: a worker process ends itself where an agent does not answer.

Nothing less is sure to work. An agent may catch whatever is raised in it, and where it is in code of another language
that never returns, nothing can be raised and no other thread of Python runs. So Python's ``faulthandler`` waits, which
needs neither: it writes down where every thread is, and ends the process. Whoever started it reads that.
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

#: So much longer the first decisions of an agent in a process may take: code is compiled and loaded for them.
SECONDS_AT_FIRST = 60.0
#: Systems can wait for no more.
MOST_SECONDS = 4_000_000.0
#: A line of what ``faulthandler`` writes.
CALL = re.compile(r'  File "(.*)", line (\d+) in ')


class TimeLimit(NamedTuple):
    """How long agents may take, by the clock.

    Attributes:
        seconds: for a decision. Decisions of several games are asked for at once, and so have so many times as long.
        at_first: how much longer the first time that a process asks an agent.
    """

    seconds: float
    at_first: float


class _Watch:
    """Over one worker process: what it is doing stands in a file, and where it was when it was ended in another.

    Args:
        folder: for these files.
    """

    def __init__(self, limit: TimeLimit, folder: Path) -> None:
        self.limit = limit
        self.note = (folder / f"{os.getpid()}.json").open("w", encoding="utf-8")
        self.calls = (folder / f"{os.getpid()}.txt").open("w", encoding="utf-8")
        self.known: set[str] = set()

    def ask(self, job: Job, agent: Agent, views: SeatViews) -> np.ndarray:
        """What an agent does, unless it takes too long."""
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
    """The one of this process."""
    return _Watch(limit, folder)


def play_watched(job: Job, limit: TimeLimit, folder: Path) -> Chunk:
    """:func:`play_job` in a worker process, which ends where an agent takes too long.

    Args:
        folder: where it is written why.
    """
    return play_job(job, functools.partial(_watch(limit, folder).ask, job))


def overstepped(folder: Path, limit: TimeLimit, job: Job) -> AgentError | None:
    """The error of the agent that took too long, as a process that has ended has written it; None if none has.

    Args:
        job: any that was played.
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
    """Where the agent's own code was, by what ``faulthandler`` has written of all threads, the main one last."""
    last = calls.split("Thread ")[-1].split("thread ")[-1]
    return "".join(f" at {shown_path(file.name)}, line {line}" for file, line in list(_own_calls(last))[:1])


def _own_calls(calls: str) -> Iterator[tuple[Path, str]]:
    """File and line of the calls of a thread that are of no library, the last call first, back to ours of the agent."""
    for name, line in CALL.findall(calls):
        if name == __file__:
            return
        if not is_of_library(Path(name)):
            yield Path(name), line
