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
    """What work gives, done in a thread of its own.

    Unlike ``asyncio.to_thread``, whose threads are waited for when the loop closes and again when Python ends: an agent
    may think for minutes. What it still does then nobody is told of, so all that is to last must be done by the caller.

    Raises:
        Exception: what the work raises.
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
