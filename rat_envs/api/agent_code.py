"""Around calls of an agent's own code, which may be anybody's: what it raises becomes an error that names the agent."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator
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
    "let_agent_check",
    "name_of",
    "named_where_it_fails",
    "naming_agent",
    "said_of",
    "written_name",
]

#: So begin the paths of code that is no agent's of others, though it may call one or be called by it.
OURS_OR_PYTHON = (str(Path(__file__).parents[1]) + os.sep, sysconfig.get_path("stdlib") + os.sep, "<")
#: The folders of installed packages.
INSTALLED = {"site-packages", "dist-packages"}
#: How somebody has written the agent that is being made, without its options; empty where it is made by its class.
WRITTEN: ContextVar[str] = ContextVar("WRITTEN", default="")


class AgentError(RatEnvsError):
    """An agent's own code has raised an error, or has tried to end Python.

    The sentence says which agent, which error, and where it was raised. The error itself is ``__cause__``; of one that
    was raised in a worker process, ``__cause__`` holds the traceback as text.
    """


@contextlib.contextmanager
def naming_agent(agent: Any) -> Iterator[None]:
    """Within it an agent's own code is called: whatever that raises becomes an :class:`AgentError`.

    Errors of ours pass, as they are sentences already, and so does Ctrl-C. ``SystemExit`` does not pass: it would end
    the program without a word, and as if all had gone well.

    Args:
        agent: an object; or how somebody has written an agent that is being made.

    Raises:
        AgentError: the code has raised something.
    """
    try:
        yield
    except (RatEnvsError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise AgentError(f"The agent {shown_path(name_of(agent))} {said_of(error)}.") from error


def named_where_it_fails(method: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A method of an agent that errors name whoever calls it, as :func:`naming_agent` says."""

    @functools.wraps(method)
    def named(agent: Any) -> Any:
        with naming_agent(agent):
            return method(agent)

    return named


@contextlib.contextmanager
def called(name: str) -> Iterator[None]:
    """Within it an agent is made that somebody has written so: errors on its options call it by this name."""
    before = WRITTEN.set(name)
    try:
        yield
    finally:
        WRITTEN.reset(before)


def written_name(kind: Any) -> str:
    """What errors call an agent of a class that is being made: as somebody has written it, or else by its name."""
    return shown_path(WRITTEN.get()) or str(kind.name)


@contextlib.contextmanager
def folder_kept() -> Iterator[None]:
    """Afterwards the current folder is the one that it was, wherever an agent has gone: paths may depend on it."""
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
    """Around all that agents do for a command: what they print goes to standard error, where it is not taken for a
    part of the results, and the current folder stays what it is.
    """
    with folder_kept(), contextlib.redirect_stdout(sys.stderr):
        yield


def let_agent_check(agent: Any, game: Game, configuration: Configuration) -> None:
    """Let an agent refuse, before a game begins, what it cannot play.

    Raises:
        RatEnvsError: it refuses; or its ``check`` has raised something else (:class:`AgentError`).
    """
    with naming_agent(agent):
        agent.check(game, configuration)


def name_of(agent: Any) -> str:
    """What errors call an agent, whatever class it is of: as somebody has written it, or else by its name."""
    if isinstance(agent, str):
        return agent
    written = getattr(agent, "written_as", None)
    return str(written or getattr(agent, "name", type(agent).__name__))


def said_of(error: BaseException) -> str:
    """That an agent raises an error, with what that says and where it was raised, as the end of a sentence."""
    if (reason := reason_not_compiled(error)) is not None:  # which says where
        return f"raises {type(error).__name__} ({reason})"
    reason = reason_of(error)
    return f"raises {type(error).__name__}{f' ({reason})' if reason else ''}{_place_of(error)}"


def _place_of(error: BaseException) -> str:
    """In which file and line an error was raised: the last that is of no library, if there is one."""
    places = [(Path(call.f_code.co_filename), line) for call, line in traceback.walk_tb(error.__traceback__)]
    own = [(file, line) for file, line in places if not _is_of_library(file)]
    return "".join(f" in {shown_path(file.name)}, line {line}" for file, line in (own or places)[-1:])


def _is_of_library(file: Path) -> bool:
    return str(file).startswith(OURS_OR_PYTHON) or not INSTALLED.isdisjoint(file.parts)
