"""Running a command line: errors that a user can cause give one sentence and exit code 1."""

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

#: The most characters of an error.
LONGEST = 600
#: Seconds that threads may take to end when the command is done.
SECONDS_TO_END = 5.0
#: The error for a command that cannot be understood. Depending on its version, Typer has its own Click or imports it.
UsageError: Any = typer.BadParameter.__bases__[0]


class Group(TyperGroup):
    """Commands whose errors quote only a little of what they do not understand."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse what comes before the command's name."""
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
        """Run the command, and parse what comes after its name."""
        with _shorter_errors(), _interrupted_in_a_word():
            return super().invoke(ctx)


def _demand_no_empty_word(words: Sequence[str]) -> None:
    """Refuse an empty word, which as a path would mean the current folder."""
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
    """Let Ctrl-C end a command with exit code 1; Typer would use 130."""
    try:
        yield
    except KeyboardInterrupt:
        say_interrupted()
        raise typer.Exit(1) from None


def say_interrupted(sentence: str = "Interrupted.") -> None:
    """Print the sentence, and let Python end with our exit code.

    If Ctrl-C comes during ``exec`` of a text, which Numba uses, Python kills itself at the end even if the interrupt
    was caught. Executing another text clears that.
    """
    print(sentence, file=sys.stderr)
    exec("")


@contextlib.contextmanager
def _shorter_errors() -> Iterator[None]:
    """Shorten errors about very long words."""
    try:
        yield
    except UsageError as error:
        if len(error.message) > LONGEST_REASON:
            error.message = reason_of(error.message)
        raise


#: The arguments of ``typer.Typer`` for every command line of ours.
SETTINGS: dict[str, Any] = {
    "cls": Group,
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


def in_one_sentence(error: RatEnvsError) -> str:
    """The message of any error, in one line and shortened."""
    return beginning(" ".join(str(error).split()), LONGEST)


def pass_over_interruption(lost: Any) -> None:
    """Print nothing about a Ctrl-C that Python could not pass on: it has been noted
    (``rat_envs.engine.interrupts``)."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)


def in_one_line(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
    """Show a warning in one line, without its place in the code."""
    print(f"Warning: {message}", file=sys.stderr)


def demand_threads() -> None:
    """Refuse a wrong number of cores, before anything is played or learnt.

    Raises:
        ConfigurationError: ``RAT_ENVS_THREADS`` is not a number of cores.
    """
    if "RAT_ENVS_THREADS" in os.environ:
        from rat_envs.engine.batch import available_cores

        available_cores()


def run_alone(command: Callable[..., None], name: str, arguments: Sequence[str] | None = None) -> None:
    """Run a program that is a single command, in the same way as :func:`run`."""
    app = typer.Typer(add_completion=False, **SETTINGS)
    app.command()(command)
    run(app, name, arguments)


def run(app: typer.Typer, name: str, arguments: Sequence[str] | None = None) -> None:
    """Run a command line and leave Python. Exit codes: 0 done, 1 an error, 2 a command that cannot be understood.

    Args:
        name: the command's name in its help, however it was started.
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
    """:func:`run`, without the parts that concern the whole process."""
    try:
        demand_threads()
        try:
            app(None if arguments is None else list(arguments), prog_name=name)
        finally:
            sys.stdout.flush()  # a full disk is noticed here at the latest
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
    """Let Python end, with an exit code, even if threads go on that an agent has started; Python would wait for
    them."""

    def leave() -> None:
        if not threading.main_thread().is_alive():  # Python has begun to end, and waits
            os._exit(code)

    if any(not each.daemon for each in threading.enumerate() if each is not threading.main_thread()):
        timer = threading.Timer(SECONDS_TO_END, leave)
        timer.daemon = True
        timer.start()


def mend_streams() -> None:
    """Ensure that characters missing in the output's encoding (as on Windows in a pipe) or closed streams do not end a
    command."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # Python found it closed when it began
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 (for the whole process)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, io.UnsupportedOperation):  # another kind of stream
            stream.reconfigure(errors=LOOK_ALIKES)  # type: ignore[union-attr]


def drop_output() -> None:
    """Discard output that is not written yet; otherwise Python would try, and fail, to write it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
