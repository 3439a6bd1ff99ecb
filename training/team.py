"""Processes that learn together: each plays its share of the games, and all take steps with the mean of their
gradients.

So their networks stay equal and have to be sent only once (Wijmans et al. 2020 do this on many machines). Threads gain
nothing: Python lets only one at a time run the code between two compiled loops.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.util import Finalize
from typing import Any

import numpy as np

from rat_envs.arena.workers import begin_worker, signals_held_back
from rat_envs.engine.errors import RatEnvsError

__all__ = ["Team", "new_team"]

#: Seconds to wait for a process to end.
PATIENCE = 5.0
#: Rows of the shared memory begin at multiples of this many bytes.
LINE = 64


class ProcessDiedError(RatEnvsError):
    """A process of a team has ended; the others cannot go on."""


class Team:
    """The processes, from the point of view of one of them.

    Args:
        rank: the number of this process; 0 leads.
        pipes: the pipe to the leader; or the leader's pipes to all others.
        memory: (size + 1, bytes) uint8: a row for what each process adds, and a last one for the sums.
        others: the processes that the leader has started.

    Attributes:
        size: number of processes.
    """

    def __init__(
        self,
        rank: int = 0,
        pipes: Sequence[Any] = (),
        memory: np.ndarray | None = None,
        others: Sequence[Any] = (),
    ) -> None:
        self.rank, self.pipes, self.memory, self.others = rank, pipes, memory, others
        self.size = 1 if memory is None else len(memory) - 1

    def all_reduce(self, numbers: np.ndarray) -> np.ndarray:
        """(k): the sums over all processes, each of which passes (k) numbers of the same dtype.

        Raises:
            ProcessDiedError: another process has died.
        """
        if self.memory is None:
            return numbers
        rows = self.memory[:, : numbers.nbytes].view(numbers.dtype)
        rows[self.rank] = numbers
        with noticed_deaths():
            if self.rank == 0:
                for pipe in self.pipes:
                    pipe.recv_bytes()
                np.sum(rows[:-1], 0, out=rows[-1])
            for pipe in self.pipes:
                pipe.send_bytes(b"")
            if self.rank > 0:
                self.pipes[0].recv_bytes()
        return rows[-1].copy()

    def tell(self, message: Any) -> None:
        """Send something to all others.

        Raises:
            ProcessDiedError: one of them has died.
        """
        with noticed_deaths():
            for pipe in self.pipes:
                pipe.send(message)

    def hear(self) -> Any:
        """Wait for the leader's next message.

        Raises:
            ProcessDiedError: it has ended.
        """
        with noticed_deaths():
            return self.pipes[0].recv()

    def close(self) -> None:
        """Ask the others to end, wait a little, and kill those that are still running."""
        for pipe in self.pipes:
            pipe.close()
        for process in self.others:
            process.join(PATIENCE)
            process.kill()


@contextlib.contextmanager
def noticed_deaths() -> Iterator[None]:
    """Turn the broken pipe of a process that has ended into a one-sentence error.

    Raises:
        ProcessDiedError: raised in place of the EOFError or OSError of a pipe.
    """
    try:
        yield
    except (EOFError, OSError):
        raise ProcessDiedError(
            "A process of this training run has ended (what it printed is above; if nothing, memory may have run out): "
            "resume the run, or begin anew with fewer processes."
        ) from None


def new_team(size: int, room: int, work: Callable[..., None], *arguments: Any) -> Team:
    """Start processes that run ``work(*arguments, team)``, and lead them; they end with this one.

    Args:
        size: number of processes, including this one.
        room: the most bytes that a process adds to sums.
        work: a function that can be imported.
    """
    if size == 1:
        return Team()
    context = multiprocessing.get_context("spawn")
    width = -(-room // LINE) * LINE
    shared, pipes, others = context.RawArray("B", (size + 1) * width), [], []
    with signals_held_back():
        for rank in range(1, size):
            ours, theirs = context.Pipe()
            given = rank, theirs, shared, size, work, arguments
            others.append(context.Process(target=join_team, args=given, daemon=True))
            others[-1].start()
            # If the team is never closed, Python would send it SIGTERM, which it does not get, and wait for it.
            Finalize(None, others[-1].kill, exitpriority=0)
            theirs.close()
            pipes.append(ours)
    return Team(0, pipes, memory_of(shared, size), others)


def join_team(
    rank: int, pipe: Any, shared: Any, size: int, work: Callable[..., None], arguments: Sequence[Any]
) -> None:
    """Work with the others until the leader ends; leave signals to the leader."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    begin_worker()
    with contextlib.suppress(ProcessDiedError):
        work(*arguments, Team(rank, [pipe], memory_of(shared, size)))


def memory_of(shared: Any, size: int) -> np.ndarray:
    """(size + 1, bytes) uint8: the memory that all processes share."""
    return np.frombuffer(shared, np.uint8).reshape(size + 1, -1)
