"""How a command line is run: errors a user can cause are one sentence and exit code 1."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from rat_envs.engine.errors import (
    LONGEST_REASON,
    LONGEST_VALUE,
    RatEnvsError,
    beginning,
    is_of_closed_pipe,
    reason_not_compiled,
    reason_of,
    shown_path,
)
from rat_envs.look_alikes import LOOK_ALIKES

__all__ = ["SETTINGS", "run", "run_alone", "say_interrupted"]

#: Characters of an error.
LONGEST = 600
#: So long threads may take to end when the command is done.
SECONDS_TO_END = 5.0
#: A command that cannot be understood; Typer brings its own Click, or imports it, by its version.
UsageError: Any = typer.BadParameter.__bases__[0]


class Group(TyperGroup):
    """Commands that repeat little of what they do not understand."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """What comes before the command's name."""
        with _shorter_errors():
            _demand_no_empty_word(args)
            _demand_no_single_quote(args)
            return super().parse_args(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by name. Its help is broken where the terminal ends, not where the docstring is."""
        command = super().get_command(ctx, cmd_name)
        if command is not None and command.help:
            command.help = "\n\n".join(" ".join(each.split()) for each in command.help.split("\n\n"))
        return command

    def invoke(self, ctx: Any) -> Any:
        """The command and what comes after its name."""
        with _shorter_errors(), _interrupted_in_a_word():
            return super().invoke(ctx)


def _demand_no_empty_word(words: Sequence[str]) -> None:
    """Refuse an empty word, which as a path would be the folder that one is in."""
    if any(not word or (word.startswith("--") and word.endswith("=")) for word in words):
        raise typer.BadParameter(
            "an argument is empty, as where a variable of the shell is not set: fill it or leave it out."
        )


def _demand_no_single_quote(words: Sequence[str]) -> None:
    """Refuse a word, or the value of an option, that begins with a single quote: its writer took it for a mark."""
    for word in words:
        if re.match(r"(--[\w-]+=)?'", word):
            raise typer.BadParameter(
                f"{beginning(word, LONGEST_VALUE)}: this shell keeps single quotes: leave them out, or use double "
                "quotes."
            )


@contextlib.contextmanager
def _interrupted_in_a_word() -> Iterator[None]:
    """Ctrl-C ends a command with exit code 1, where Typer would say 130."""
    try:
        yield
    except KeyboardInterrupt:
        say_interrupted()
        raise typer.Exit(1) from None


def say_interrupted(sentence: str = "Interrupted.") -> None:
    """Say it, and let Python end with our exit code.

    A Ctrl-C that came while a text was executed, as Numba does, makes Python kill itself in the end, whoever caught
    it; the next text that is executed makes it forget that.
    """
    print(sentence, file=sys.stderr)
    exec("")


@contextlib.contextmanager
def _shorter_errors() -> Iterator[None]:
    """Cut what is said of a word without end."""
    try:
        yield
    except UsageError as error:
        if len(error.message) > LONGEST_REASON:
            error.message = reason_of(error.message)
        raise


#: What every command line of ours is made with, as arguments of ``typer.Typer``.
SETTINGS: dict[str, Any] = {
    "cls": Group,
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


def in_one_sentence(error: RatEnvsError) -> str:
    """What an error says, in one line and not without end, whoever has written it."""
    return beginning(" ".join(str(error).split()), LONGEST)


def pass_over_interruption(lost: Any) -> None:
    """Say nothing of a Ctrl-C that Python could not pass on: whoever lost it knows (``rat_envs.engine.interrupts``)."""
    if lost.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(lost)


def in_one_line(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
    """Show a warning to somebody who does not mind where in the code it comes from."""
    print(f"Warning: {message}", file=sys.stderr)


def demand_threads() -> None:
    """Refuse what is no number of cores, before anything is played or learnt.

    Raises:
        ConfigurationError: ``RAT_ENVS_THREADS`` is none.
    """
    if "RAT_ENVS_THREADS" in os.environ:
        from rat_envs.engine.batch import available_cores

        available_cores()


def run_alone(command: Callable[..., None], name: str, arguments: Sequence[str] | None = None) -> None:
    """Run what is a single command, as :func:`run` does."""
    app = typer.Typer(add_completion=False, **SETTINGS)
    app.command()(command)
    run(app, name, arguments)


def run(app: typer.Typer, name: str, arguments: Sequence[str] | None = None) -> None:
    """Run a command line and leave Python. Exit codes: 0 done, 1 an error, 2 a command that cannot be understood.

    Args:
        name: what the command is called in its help, however it was started.
        arguments: those of the process, if not given.
    """
    warnings.showwarning = in_one_line
    sys.unraisablehook = pass_over_interruption
    mend_streams()
    try:
        _run(app, name, arguments)
    except SystemExit as ended:
        leave_threads(ended.code if isinstance(ended.code, int) else int(ended.code is not None))
        raise


def _run(app: typer.Typer, name: str, arguments: Sequence[str] | None) -> None:
    """:func:`run` but for what is the process's own."""
    try:
        demand_threads()
        try:
            app(None if arguments is None else list(arguments), prog_name=name)
        finally:
            sys.stdout.flush()  # a full disk shows here at the latest
    except RatEnvsError as error:
        print(f"Error: {in_one_sentence(error)}", file=sys.stderr)
        sys.exit(1)
    except MemoryError as error:
        print(f"Error: there is not enough memory ({reason_of(str(error) or 'none is left')}).", file=sys.stderr)
        sys.exit(1)
    except UnicodeDecodeError as error:
        print(f"Error: the file is not text ({error.reason} at byte {error.start}).", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        say_interrupted()
        sys.exit(1)
    except OSError as error:  # no such file, a folder in place of a file, no permission, a full disk, a closed pipe
        say_failed(error)
        sys.exit(1)
    except Exception as error:
        if (reason := reason_not_compiled(error)) is None:
            raise
        told = f"Numba cannot compile a function ({reason}); if it is a game's, rat_envs.testing.check_game says which"
        print(f"Error: {told}.", file=sys.stderr)
        sys.exit(1)


def say_failed(error: OSError) -> None:
    """Say what the system could not do; of our output, of which the reader has gone, nothing."""
    if not is_of_closed_pipe(error):
        place = "the output" if error.filename is None else shown_path(error.filename)
        print(f"Error: {error.strerror or reason_of(error)}: {place}.", file=sys.stderr)
    if error.filename is None:
        drop_output()


def leave_threads(code: int) -> None:
    """Let Python end, with an exit code, although threads that an agent has started go on: it would wait for them."""

    def leave() -> None:
        if not threading.main_thread().is_alive():  # Python has begun to end, and waits
            os._exit(code)

    if any(not each.daemon for each in threading.enumerate() if each is not threading.main_thread()):
        timer = threading.Timer(SECONDS_TO_END, leave)
        timer.daemon = True
        timer.start()


def mend_streams() -> None:
    """Let no letter that the output's encoding lacks end a command, as on Windows in a pipe, nor a closed stream."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # Python found it closed when it began
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 (for the whole process)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, io.UnsupportedOperation):  # another kind of stream
            stream.reconfigure(errors=LOOK_ALIKES)  # type: ignore[union-attr]


def drop_output() -> None:
    """Lose what is still to be written, which Python would otherwise try, and fail, to write when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
