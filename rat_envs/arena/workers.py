"""Who plays the jobs: this process, several processes on this machine, or a Ray cluster. The results are the same."""

from __future__ import annotations

import contextlib
import functools
import math
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures import TimeoutError as NotYetError
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, TypeVar

from rat_envs.arena.cluster import join_cluster, said_by
from rat_envs.arena.jobs import Chunk, Job, play_job
from rat_envs.arena.time_limit import SECONDS_AT_FIRST, TimeLimit, overstepped, play_watched
from rat_envs.engine.batch import available_cores
from rat_envs.engine.errors import ConfigurationError, RatEnvsError, shown
from rat_envs.engine.interrupts import SENT

__all__ = [
    "Spread",
    "as_they_end",
    "begin_worker",
    "in_processes",
    "in_this_process",
    "on_ray",
    "processes",
    "signals_held_back",
]

T = TypeVar("T")

#: Plays jobs and yields what has been played, in any order.
Spread = Callable[[Sequence[Job]], Generator[Chunk, None, None]]

#: Starting processes takes a second or two: what is done sooner is done here.
SECONDS_HERE = 2.0
#: So long workers may take to end when all has been played.
SECONDS_TO_END = 5.0
#: The longest single wait: on Windows Ctrl-C takes effect only when a wait is over.
SECONDS_OF_WAIT = 0.5
#: Windows can wait for no more, and Python refuses them there.
MOST_PROCESSES = 61 if sys.platform == "win32" else 2**16


def in_this_process(jobs: Sequence[Job]) -> Generator[Chunk, None, None]:
    """One after another, with nothing started."""
    yield from map(play_job, jobs)


def in_processes(
    jobs: Sequence[Job], workers: int | None = None, seconds_per_decision: float | None = None
) -> Generator[Chunk, None, None]:
    """In several processes, each on one core.

    They are started (a script has to guard its main part with ``if __name__ == "__main__"``), not forked. For the
    first seconds jobs are played here: short tournaments are over by then, and otherwise what had to be compiled is in
    the cache for the workers.

    Args:
        workers: how many; as many as there are cores, if not given.
        seconds_per_decision: the limit of time for agents' decisions, as the mean of those that are asked for at once,
            by the clock. Everything is played in other processes then, which end where an agent takes longer.

    Raises:
        AgentError: an agent has not answered in time.
        ConfigurationError: the limit is no number above 0.
        RatEnvsError: a worker has been killed; or, before anything is played, an agent or the game cannot be sent to
            one.
    """
    workers = workers or available_cores()
    if seconds_per_decision is not None:
        yield from _in_limited_pool(jobs, workers, seconds_per_decision)
        return
    if workers > 1 and len(jobs) > 1:
        _demand_sendable(jobs[0])
    until = time.monotonic() + SECONDS_HERE
    done = 0
    while done < len(jobs) and (workers == 1 or done == len(jobs) - 1 or time.monotonic() < until):
        yield play_job(jobs[done])
        done += 1
    if done < len(jobs):
        yield from _in_pool(jobs[done:], min(workers, len(jobs) - done))


def _in_limited_pool(jobs: Sequence[Job], workers: int, seconds: float) -> Generator[Chunk, None, None]:
    if not 0 < seconds < math.inf:
        raise ConfigurationError(f"seconds_per_decision={shown(seconds)}: must be a number above 0.")
    if not jobs:
        return
    _demand_sendable(jobs[0])
    limit = TimeLimit(seconds, SECONDS_AT_FIRST)
    with tempfile.TemporaryDirectory(prefix="rat-envs-", ignore_cleanup_errors=True) as folder:
        play = functools.partial(play_watched, limit=limit, folder=Path(folder))
        try:
            yield from _in_pool(jobs, min(workers, len(jobs)), play)
        except RatEnvsError:
            if (error := overstepped(Path(folder), limit, jobs[0])) is not None:
                raise error from None
            raise


def _in_pool(
    jobs: Sequence[Job], workers: int, play: Callable[[Job], Chunk] | None = None
) -> Generator[Chunk, None, None]:
    try:
        with processes(workers) as pool:
            with signals_held_back():
                waiting = [pool.submit(play or play_job, job) for job in jobs]
            for future in as_they_end(waiting):
                yield future.result()
    except BrokenProcessPool:
        raise RatEnvsError(
            "A worker process has been killed, for want of memory perhaps, or by an agent (os._exit), or because the "
            'script that began it does not guard its main part with `if __name__ == "__main__":`, or makes a game or a '
            "class of agents within it. Finished chunks are kept if there is a folder for them; run the same again, "
            "with fewer workers or smaller chunks if memory was short."
        ) from None


@contextlib.contextmanager
def processes(number: int) -> Generator[ProcessPoolExecutor, None, None]:
    """Processes for work of one core each; they leave signals to this one, and end when it does, in whatever way.

    The block has to wait for all that it lets them do. After it they have ``SECONDS_TO_END``: a process that an agent's
    thread keeps alive would never end.
    """
    context = multiprocessing.get_context("spawn")
    lifeline, ours = context.Pipe(duplex=False)
    others = {*multiprocessing.active_children()}
    with signals_held_back():  # it begins a process that keeps count of resources
        pool = ProcessPoolExecutor(min(number, MOST_PROCESSES), context, begin_worker, (lifeline,))
    try:
        yield pool
        pool.shutdown(wait=False)
        until = time.monotonic() + SECONDS_TO_END
        for process in {*multiprocessing.active_children()} - others:
            process.join(max(0.0, until - time.monotonic()))
    except BrokenProcessPool:
        ours.close()  # the others do not get the signal by which the pool would end them
        ending = threading.Thread(target=pool.shutdown, daemon=True)  # which is in the way where Python ends meanwhile
        ending.start()
        ending.join(SECONDS_TO_END)
        raise
    finally:
        ours.close()  # whoever is still at work stops: Ctrl-C waits for nobody
        pool.shutdown(wait=False, cancel_futures=True)


def as_they_end(tasks: Iterable[Future[T]]) -> Generator[Future[T], None, None]:
    """Tasks of :func:`processes`, each as soon as it has ended; Ctrl-C does not have to wait for the next one."""
    waiting = {*tasks}
    while waiting:
        with contextlib.suppress(NotYetError):
            for task in as_completed(waiting, SECONDS_OF_WAIT):
                waiting.remove(task)
                yield task


def _demand_sendable(job: Job) -> None:
    """Other processes must be able to make the game and the agents of the job.

    Raises:
        RatEnvsError: they are not.
    """
    try:
        sent = pickle.dumps(job)
    except RatEnvsError:
        raise
    except Exception as error:  # whatever an agent is made of
        raise RatEnvsError(
            f"An agent cannot be sent to worker processes ({error}): play with one worker, or with in_this_process."
        ) from error
    if b"__main__" in sent and not hasattr(sys.modules["__main__"], "__file__"):
        raise RatEnvsError(
            "Worker processes cannot see what is defined in this session alone: put the agent or the game into a file "
            '(in a notebook with %%writefile bot.py) and name it "bot.py:Bot", or play with in_this_process.'
        )


@contextlib.contextmanager
def signals_held_back() -> Generator[None, None, None]:
    """Processes that are started meanwhile never get Ctrl-C, nor what schedulers send to all processes of a job, and
    this one gets it afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker  # only where there are such signals

    numbers = {signal.SIGINT, *SENT}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        resource_tracker.ensure_running()  # which lets some of them through again
        signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_worker(lifeline: Any = None) -> None:
    """A worker keeps to one core, leaves Ctrl-C to whoever started it, and ends when that one has gone."""
    os.environ["RAT_ENVS_THREADS"] = "1"
    if lifeline is not None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.stdout = sys.stderr  # what an agent prints is no part of a command's result
        threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()


def _end_with(lifeline: Any) -> None:
    with contextlib.suppress(EOFError, OSError):
        lifeline.recv()
    os._exit(1)


def on_ray(jobs: Sequence[Job], address: str) -> Generator[Chunk, None, None]:
    """Over a Ray cluster, one core a job. Agents that are files have to be at the same path on every machine.

    Args:
        address: as ``ray.init`` takes it; ``local`` starts a cluster of this machine alone, and ends it.

    Raises:
        MissingExtraError: Ray is not installed.
        RatEnvsError: no cluster answers there.
    """
    ray, begun = join_cluster(address, "Playing on a Ray cluster")
    waiting: list[Any] = []
    try:
        play = ray.remote(num_cpus=1)(_play_alone)
        waiting = [play.remote(job) for job in jobs]
        while waiting:
            (ready,), waiting = ray.wait(waiting)
            yield _result(ray, ready)
    finally:
        for left in waiting:  # where it ends early, the cluster is to have its cores back
            ray.cancel(left)
        if begun:
            ray.shutdown()


def _play_alone(job: Job) -> Chunk:
    begin_worker()
    return play_job(job)


def _result(ray: Any, ready: Any) -> Chunk:
    """A chunk; or the error that the worker raised, as it raised it."""
    try:
        chunk: Chunk = ray.get(ready)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    except ray.exceptions.RayError as error:
        raise RatEnvsError(f"A Ray worker has died: {said_by(error)}.") from None
    return chunk
