"""Tables on standard output; progress on a terminal, but not in a pipe."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.progress import Progress, TextColumn
from rich.table import Column, Table
from rich.text import Text

from rat_envs.command_line import say_interrupted
from rat_envs.engine.interrupts import handling_sent
from rat_envs.log_lines import LogLines

__all__ = ["counted", "interruptible", "kept_in", "leave_interrupted", "print_numbers", "print_table", "waiting"]

#: The least width of tables, also in a pipe.
WIDTH = 110
#: Seconds between two lines of progress in a pipe, which may be a log of hours.
SECONDS_BETWEEN_LINES = 60.0
#: The least width of names in a table of numbers.
WIDTH_OF_NAMES = 14


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table to standard output, with every word as it is: brackets and colons are not markup."""
    console = Console(width=max(Console().width, WIDTH))
    console.print(_table(head, rows, [None] * len(head)))


def print_numbers(head: Sequence[str], rows: Iterable[Sequence[str]], too_wide: str = "", fold: bool = False) -> None:
    """Print a table with names in the first column and the head, which may be wrapped, and numbers, which are not.

    Args:
        too_wide: a sentence that is printed instead if the table does not fit the terminal.
        fold: whether numbers may be wrapped, too, if it does not fit.
    """
    rows = list(rows)
    heads = [min(cell_len(name), WIDTH_OF_NAMES) for name in head]
    widths = [max([least, *(cell_len(row[column]) for row in rows)]) for column, least in enumerate(heads)][1:]
    console = Console()
    needed = sum([WIDTH_OF_NAMES, *widths]) + 3 * len(head) + 1  # with the space between the columns
    room = max(console.width, WIDTH)
    if console.is_terminal and fold and needed > room:
        print_table(head, rows)
    elif console.is_terminal and too_wide and needed > room:
        print(too_wide)
    else:
        Console(width=max(room, needed)).print(_table(head, rows, [None, *widths]))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], widths: Sequence[int | None]) -> Table:
    """A table in which nothing is cut off, with these widths of columns, if given."""
    columns = [Column(Text(name), overflow="fold", width=width) for name, width in zip(head, widths, strict=True)]
    table = Table(*columns)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


@contextlib.contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show a spinner during work of unknown length."""
    with Console(stderr=True).status(Text(f"{what} …")):
        yield


@contextlib.contextmanager
def counted(what: str) -> Iterator[Callable[[float, int], None]]:
    """Show a progress bar, or in a pipe a line now and then; yield a function to call with the amount done and the
    total."""
    console = Console(stderr=True)
    if not console.is_terminal:  # some versions of rich write an empty line even where progress is disabled
        lines = LogLines(SECONDS_BETWEEN_LINES)
        yield lambda done, total: lines.say(lambda: f"{what}: {done:,.0f} of {total:,.0f}")
        return
    words = TextColumn("{task.description}", markup=False)
    with Progress(words, *Progress.get_default_columns()[1:], console=console, transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


class Sent(KeyboardInterrupt):
    """A signal that is to end the process, as Ctrl-C does.

    Attributes:
        number: the signal's.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def _raise(number: int, frame: Any) -> NoReturn:
    raise Sent(number)


@contextlib.contextmanager
def interruptible(sentence: str) -> Iterator[None]:
    """Let Ctrl-C, and what a scheduler sends, end the command with a sentence that says how to go on."""
    try:
        with handling_sent(_raise):
            yield
    except KeyboardInterrupt as error:
        leave_interrupted(sentence, error.number if isinstance(error, Sent) else signal.SIGINT)


def kept_in(folder: Path | None) -> str:
    """The sentence for games that are played into a folder, or into none."""
    going_on = f"the same command goes on from what is in {folder}"
    return f"Interrupted: {'nothing is kept without --out' if folder is None else going_on}."


def leave_interrupted(sentence: str, number: int) -> NoReturn:
    """End a command after a signal: with exit code 1 after Ctrl-C, and with the customary one after others."""
    with contextlib.suppress(OSError):  # the terminal that closed
        say_interrupted(sentence)
    raise typer.Exit(1 if number == signal.SIGINT else 128 + number) from None
