"""Work in threads that the server does not wait for when it ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

__all__ = ["in_thread", "leave_within"]

Result = TypeVar("Result")

#: The name of each thread.
NAME = "rat_envs.play.browser"


async def in_thread(work: Callable[..., Result], *arguments: object) -> Result:
    """The result of work in a thread of its own.

    With ``asyncio.to_thread``, the end of the loop and of Python would wait for the thread, and an agent may think for
    minutes. Here its late results are lost, so the caller must do everything that has to last.

    Raises:
        Exception: any exception in the work.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def settle(result: Result | None, error: BaseException | None) -> None:
        if done.done():  # nobody waits any more
            return
        if error is None:
            done.set_result(result)  # type: ignore[arg-type]
        else:
            done.set_exception(error)

    def run() -> None:
        result: Result | None = None
        error: BaseException | None = None
        try:
            result = work(*arguments)
        except StopIteration as stopped:  # a future does not accept StopIteration
            error = RuntimeError(repr(stopped))
        except BaseException as raised:
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=run, daemon=True, name=NAME).start()
    return await done


def leave_within(seconds: float, code: int) -> None:
    """End the process with an exit code if work is still under way, and the process has not ended by then.

    Otherwise Python would wait for threads that an agent has started itself.
    """
    if not any(thread.name == NAME for thread in threading.enumerate()):
        return

    def leave() -> None:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        os._exit(code)

    timer = threading.Timer(seconds, leave)
    timer.daemon = True
    timer.start()
