"""Calling an agent's own code, which may be anybody's: exceptions in it become errors that name the agent."""

from __future__ import annotations

import contextlib
import os
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rat_envs.engine.errors import RatEnvsError, reason_not_compiled, reason_of, shown_path

if TYPE_CHECKING:
    from rat_envs.engine.configuration import Configuration
    from rat_envs.engine.game import Game

__all__ = [
    "AgentError",
    "agents_at_work",
    "called",
    "folder_kept",
    "is_of_library",
    "let_agent_check",
    "name_of",
    "naming_agent",
    "said_of",
    "written_name",
]

#: The beginnings of the paths of our code and Python's, which may call an agent's code or be called by it.
OURS_OR_PYTHON = (str(Path(__file__).parents[1]) + os.sep, sysconfig.get_path("stdlib") + os.sep, "<")
#: The folders of installed packages.
INSTALLED = {"site-packages", "dist-packages"}
#: The name of the agent that is being made, as the user wrote it, without options; empty if it is made by its class.
WRITTEN: ContextVar[str] = ContextVar("WRITTEN", default="")


class AgentError(RatEnvsError):
    """An agent's own code has raised an error, has tried to end Python, or has not answered in its limit of time.

    The message names the agent, the error, and the place where it was raised. The error itself is ``__cause__``; for
    one that was raised in a worker process, ``__cause__`` holds the traceback as text.
    """


@contextlib.contextmanager
def naming_agent(agent: Any) -> Iterator[None]:
    """Turn exceptions in an agent's own code, which is called within it, into an :class:`AgentError`.

    Our own errors pass, because they are one sentence already, and so does Ctrl-C. ``SystemExit`` does not pass: it
    would end the program silently, as if it had succeeded.

    Args:
        agent: the agent; or the name of one that is being made, as the user wrote it.

    Raises:
        AgentError: the code has raised an exception.
    """
    try:
        yield
    except (RatEnvsError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise AgentError(f"The agent {shown_path(name_of(agent))} {said_of(error)}.") from error


@contextlib.contextmanager
def called(name: str) -> Iterator[None]:
    """In this context an agent is made that the user wrote like this: errors about its options use this name."""
    before = WRITTEN.set(name)
    try:
        yield
    finally:
        WRITTEN.reset(before)


def written_name(kind: Any) -> str:
    """The name in errors of an agent of a class that is being made: as the user wrote it, or else the class's."""
    return shown_path(WRITTEN.get()) or str(kind.name)


@contextlib.contextmanager
def folder_kept() -> Iterator[None]:
    """Afterwards restore the current folder, which an agent may have changed: paths may depend on it."""
    before = None
    with contextlib.suppress(OSError):  # it has been deleted
        before = os.getcwd()
    try:
        yield
    finally:
        if before is not None:
            with contextlib.suppress(OSError):
                os.chdir(before)


@contextlib.contextmanager
def agents_at_work() -> Iterator[None]:
    """Run the agents of a command within this: what they print goes to standard error, so that it is not mixed with the
    results, and the current folder stays the same.
    """
    with folder_kept(), contextlib.redirect_stdout(sys.stderr):
        yield


def let_agent_check(agent: Any, game: Game, configuration: Configuration) -> None:
    """Let an agent refuse, before a game begins, what it cannot play.

    Raises:
        RatEnvsError: it refuses; or its ``check`` has raised another exception (:class:`AgentError`).
    """
    with naming_agent(agent):
        agent.check(game, configuration)


def name_of(agent: Any) -> str:
    """An agent's name in errors, whatever its class: as the user wrote it, or else its ``name``."""
    if isinstance(agent, str):
        return agent
    written = getattr(agent, "written_as", None)
    return str(written or getattr(agent, "name", type(agent).__name__))


def said_of(error: BaseException) -> str:
    """The end of a sentence that says that an agent raises this error, with its message and where it was raised."""
    if (reason := reason_not_compiled(error)) is not None:  # its message says where
        return f"raises {type(error).__name__} ({reason})"
    reason = reason_of(error)
    return f"raises {type(error).__name__}{f' ({reason})' if reason else ''}{_place_of(error)}"


def _place_of(error: BaseException) -> str:
    """The file and line where an error was raised: the last place outside libraries, if there is one."""
    places = [(Path(call.f_code.co_filename), line) for call, line in traceback.walk_tb(error.__traceback__)]
    own = [(file, line) for file, line in places if not is_of_library(file)]
    return "".join(f" in {shown_path(file.name)}, line {line}" for file, line in (own or places)[-1:])


def is_of_library(file: Path) -> bool:
    """Whether a file of code is ours, Python's or an installed package's, and so not an agent's."""
    return str(file).startswith(OURS_OR_PYTHON) or not INSTALLED.isdisjoint(file.parts)
