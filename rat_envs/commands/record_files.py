"""Reading and writing files of records."""

from __future__ import annotations

import codecs
import contextlib
import io
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from rat_envs.commands.output import counted
from rat_envs.engine.archive import naming, put_in_place, whole_file, write_file
from rat_envs.engine.errors import ConfigurationError, RecordError, shown_path
from rat_envs.engine.records import read_records
from rat_envs.engine.wording import number_of

__all__ = ["RecordsOut", "WithOptions", "give_records", "opened"]

RecordsOut = Annotated[
    Path | None,
    typer.Option(
        help="Write the games to this file, in place of records that it may hold; to standard output if not given."
    ),
]
#: Suffixes of files of tables and arrays, which records are not.
OF_TABLES = frozenset({".arrow", ".csv", ".feather", ".h5", ".hdf5", ".npy", ".npz", ".parquet", ".tsv"})
WithOptions = Annotated[bool, typer.Option("--options", help="Also write what was possible at each node.")]


def give_records(out: Path | None, records: Iterator[dict[str, Any]], total: int | None = None) -> None:
    """Write records to a file, or print them. Check that they can be written before the first one is made.

    Args:
        total: how many there will be, for a progress bar beside a file.

    Raises:
        ConfigurationError, OSError: they cannot be written.
    """
    lines = map(json.dumps, records)
    if out is None or str(out) == "-":
        for line in lines:
            print(line)
    else:
        demand_place(out)
        with counted("playing") if total is not None else contextlib.nullcontext() as progress:
            write_records(out, lines if progress is None else told(lines, total or 0, progress))


def told(lines: Iterator[str], total: int, progress: Callable[[float, int], None]) -> Iterator[str]:
    """The lines, and after each the number of those that are made."""
    for number, line in enumerate(lines, 1):
        yield line
        progress(number, total)


def demand_place(out: Path) -> None:
    """Refuse, before anything is played, to overwrite anything but records, or to write where it is impossible.

    Raises:
        ConfigurationError: the name is that of a table or an array, or the existing file is neither a file of records
            nor empty.
        OSError: nothing can be written there.
    """
    if out.suffix.lower() in OF_TABLES:
        raise ConfigurationError(
            f"--out {shown_path(out)}: records are lines of JSON, so name it {shown_path(out.with_suffix('.jsonl'))}; "
            "rat-envs transitions makes arrays of such a file."
        )
    if not out.exists():
        write_file(out, b"")
        return
    if not out.is_file():
        raise ConfigurationError(f"--out {shown_path(out)}: that is no file: give the name of a new one.")
    try:
        with opened(out) as lines:
            next(read_records(lines), None)
    except RecordError:
        raise ConfigurationError(
            f"--out {shown_path(out)}: that file holds something else than records: give another name, or remove it."
        ) from None


def write_records(out: Path, lines: Iterator[str]) -> None:
    """Write games to a file, and print that.

    If it ends early, the games written so far are kept: in a new file beside it, if it holds others.

    Args:
        out: the file, which may be empty.
        lines: lines of JSON.
    """
    is_new, number, size, ended = out.stat().st_size == 0, 0, 0, None
    place = out if is_new else _free_place(out)
    try:
        with whole_file(place) as file:
            try:
                for line in lines:
                    with naming(out):
                        size, number = size + file.write(f"{line}\n".encode()), number + 1
            except BaseException as error:
                if not number:
                    raise
                file.truncate(size)  # keep only whole lines
                ended = error
        if ended is None and place != out:
            try:
                put_in_place(place, out)
                place = out
            except OSError as error:  # the new games stay where they are
                ended = error
        print(f"{place}: {number_of(number, 'game')}.")
        if ended is not None:
            raise ended
    except BaseException:
        if not is_new:
            print(f"{out}: the records that were there stay.")
        elif ended is None:
            out.unlink()
        raise


def _free_place(out: Path) -> Path:
    """The first of ``games-1.jsonl``, ``games-2.jsonl`` and so on that does not exist."""
    places = (out.with_name(f"{out.stem}-{number}{out.suffix}") for number in itertools.count(1))
    return next(place for place in places if not place.exists())


def opened(file: Path) -> TextIO:
    """The text of a file of records, or of standard input.

    It may be UTF-16, which Windows PowerShell writes with ``>``, or begin with the byte order mark that some editors
    put before UTF-8.
    """
    content: Any = getattr(sys.stdin, "buffer", None) if str(file) == "-" else file.open("rb")
    if not hasattr(content, "peek"):  # standard input is text without a file
        return sys.stdin
    begins = content.peek(2)[:2]
    encoding = "utf-16" if begins in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig"
    return io.TextIOWrapper(content, encoding)
