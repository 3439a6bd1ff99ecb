"""The one place that reads files: with bounds on their contents, and one sentence for whatever is wrong with them.

The sizes that a file claims are compared with its own before memory is allocated for them. Safetensors files are read
by :mod:`rat_envs.engine.archive`, which builds on this.
"""

from __future__ import annotations

import importlib.resources
import json
import math
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn, TextIO

from rat_envs.engine.errors import CheckpointError, RatEnvsError, RecordError, reason_of, shown, shown_path

__all__ = [
    "MEBIBYTE",
    "NotJsonError",
    "demand_outline",
    "file_size",
    "is_number",
    "names_in_zip",
    "parse_json",
    "read_bytes",
    "read_json",
    "read_results",
    "read_text",
    "text_lines",
]

MEBIBYTE = 2**20
#: The most bytes of a JSON file and characters of a line, unless the caller says otherwise.
MOST_JSON = 4 * MEBIBYTE
#: The most lists, objects and commas in a JSON text: each can take 200 bytes of memory.
MOST_PARTS = 500_000
#: The deepest nesting of lists and objects; Python itself can process less than a thousand levels.
DEEPEST = 64
#: The names of the types of JSON.
KINDS = {
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "a truth value",
}
#: The most digits of a number; the states of random number generators have 39.
MOST_DIGITS = 100
#: The most members of a zip file, and bytes of the list of them at its end.
MOST_MEMBERS, MOST_DIRECTORY = 1000, MEBIBYTE
#: Bytes of the record at the end of a zip file, without its comment, and of the longest comment.
END_OF_ZIP, LONGEST_COMMENT = 22, 2**16


class NotJsonError(ValueError):
    """A text is not JSON, or exceeds our bounds; the message says why, without a full stop."""


def parse_json(text: str, object_of: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """The value of a JSON text without NaN and infinities, not nested too deep, with numbers that are not too long.

    Args:
        text: of JSON.
        object_of: makes an object from its names and values; by default a dictionary with the last value of each name.

    Raises:
        NotJsonError: it is something else.
    """
    if text.count("[") + text.count("{") + text.count(",") > MOST_PARTS:
        raise NotJsonError(f"it has more than {MOST_PARTS:,} parts")
    try:
        value = json.loads(
            text, parse_int=_whole, parse_float=_finite, parse_constant=_no_number, object_pairs_hook=object_of
        )
        _demand_shallow(value)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode()  # lone surrogates cannot be written
    except json.JSONDecodeError as error:
        raise NotJsonError(f"{error.msg.removesuffix(' at')} at character {error.pos}") from None
    except UnicodeEncodeError:
        raise NotJsonError("a text in it holds half of a letter") from None
    except (RecursionError, MemoryError):
        raise NotJsonError(f"its lists or objects are nested more than {DEEPEST} deep") from None
    return value


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise NotJsonError(f"a number in it has {len(text):,} digits, and at most {MOST_DIGITS} are read")
    return int(text)


def _finite(text: str) -> float:
    number = float(text) if len(text) <= MOST_DIGITS else math.inf
    if not math.isfinite(number):
        raise NotJsonError(f"the number {shown(text)} is too large, or has more than {MOST_DIGITS} digits")
    return number


def _no_number(text: str) -> NoReturn:
    raise NotJsonError(f"{text} is not a number of JSON")


def _demand_shallow(value: Any) -> None:
    """Refuse lists and objects that are nested too deep for what will be done with them."""
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [part for each in level if isinstance(each, (dict, list)) for part in _parts(each)]
        if not level:
            return
    raise NotJsonError(f"its lists or objects are nested more than {DEEPEST} deep")


def _parts(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def read_json(
    path: str | Path, what: str, most_bytes: int = MOST_JSON, kind: type[RatEnvsError] = CheckpointError
) -> Any:
    """The value in a JSON file.

    Args:
        path: the file.
        what: what it should be, for errors, such as ``manifest``.
        most_bytes: a larger file is refused.
        kind: of the error.

    Raises:
        RatEnvsError: of that kind: there is no such file, it is too large or not JSON in UTF-8.
    """
    content = read_bytes(path, what, most_bytes, kind)
    try:
        return parse_json(content.decode())
    except UnicodeDecodeError as error:
        reason = f"not text in UTF-8 at byte {error.start}"
    except NotJsonError as error:
        reason = f"not JSON: {error}"
    raise kind(f"{shown_path(path)} is not a {what}: it is {reason}.")


def read_results(path: str | Path, form: str, what: str, outline: Any) -> list[dict[str, Any]]:
    """The list ``results`` of a JSON file that names its format; an empty list if there is no such file.

    Args:
        path: the file.
        form: the format.
        what: what the file should be, for errors.
        outline: of each result, for :func:`demand_outline`.

    Raises:
        RecordError: the file holds something else.
    """
    if not os.path.exists(path):  # unlike Path, it accepts names that no file can have
        return []
    kept = read_json(path, what, kind=RecordError)
    try:
        demand_outline(kept, {"format": str, "results": []})
    except ValueError as error:
        raise RecordError(f"{shown_path(path)} is not a {what}: {reason_of(error)}; delete it to begin anew.") from None
    if kept["format"] != form:
        raise RecordError(f"{shown_path(path)} is not of format {form}.")
    try:
        demand_outline(kept["results"], [outline], "results")
    except ValueError as error:
        raise RecordError(f"{shown_path(path)} is not a {what}: {reason_of(error)}; delete it to begin anew.") from None
    results: list[dict[str, Any]] = kept["results"]
    return results


def demand_outline(value: Any, outline: Any, place: str = "it") -> None:
    """Demand that a JSON value has the parts that will be used.

    Args:
        value: of JSON.
        outline: a type; for a list, a list with one outline for all its values, or an empty one; for an object,
            outlines by name, other names being ignored, or ``{str: outline}`` for all its values. ``float`` is any
            number.
        place: what the value is called in the error.

    Raises:
        ValueError: it does not; the message says where, without a full stop.
    """
    wanted = type(outline) if isinstance(outline, (dict, list)) else outline
    if not (is_number(value) if wanted is float else isinstance(value, wanted)) or _is_odd_bool(value, wanted):
        name = KINDS.get(wanted, "something else")
        raise ValueError(f"{place} is {shown(value)} and not {name}")
    if isinstance(outline, list):
        for number, part in enumerate(value if outline else ()):
            demand_outline(part, outline[0], f"{place}[{number}]")
    elif isinstance(outline, dict):
        for name, inner in outline.items() if str not in outline else [(each, outline[str]) for each in value]:
            if name not in value:
                raise ValueError(f"{place} has no {shown(name)}")
            demand_outline(value[name], inner, f"{place}[{shown(name)}]")


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number that fits into float64."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e308


def _is_odd_bool(value: Any, wanted: Any) -> bool:
    """Whether true or false stands where a whole number is wanted; to Python they are whole numbers."""
    return wanted is int and isinstance(value, bool)


def read_text(package: str | None, name: str) -> str:
    """A text that comes with a package of ours."""
    assert package is not None
    return (importlib.resources.files(package) / name).read_text(encoding="utf-8")


def read_bytes(path: str | Path, what: str, most_bytes: int, kind: type[RatEnvsError] = CheckpointError) -> bytes:
    """The contents of a file; args and errors are those of :func:`read_json`."""
    file_size(path, what, most_bytes, kind)
    try:
        with open(path, "rb") as file:
            content = file.read(min(os.fstat(file.fileno()).st_size, most_bytes) + 1)  # for which memory is allocated
    except OSError as error:
        raise kind(f"{shown_path(path)} cannot be read: {reason_of(error.strerror or str(error))}.") from None
    if len(content) > most_bytes:  # it has grown since
        raise _too_large(path, what, most_bytes, kind)
    return content


def file_size(path: str | Path, what: str, most_bytes: int, kind: type[RatEnvsError] = CheckpointError) -> int:
    """The size in bytes of a file that exists and can be read; args and errors are those of :func:`read_json`."""
    try:
        found = os.stat(path)
        if stat.S_ISREG(found.st_mode):
            with open(path, "rb"):
                pass
    except (FileNotFoundError, NotADirectoryError):
        raise kind(f"There is no {what} file {shown_path(path)}.") from None
    except OSError as error:
        raise kind(f"{shown_path(path)} cannot be read: {reason_of(error.strerror or str(error))}.") from None
    except ValueError:  # a zero byte in the path
        raise kind(f"There is no {what} file {shown_path(path)}: no file can have that name.") from None
    if not stat.S_ISREG(found.st_mode):  # a device or a pipe
        other = "it is a folder" if stat.S_ISDIR(found.st_mode) else "it is no file"
        raise kind(f"There is no {what} file {shown_path(path)}: {other}.")
    if found.st_size > most_bytes:
        raise _too_large(path, what, most_bytes, kind)
    return found.st_size


def _too_large(path: str | Path, what: str, most_bytes: int, kind: type[RatEnvsError]) -> RatEnvsError:
    return kind(f"{shown_path(path)} is not a {what}: it has more than {most_bytes:,} bytes.")


def text_lines(lines: Iterable[str] | TextIO, most: int = MOST_JSON) -> Iterator[str]:
    """The lines of an open file or of a list, none of which is read beyond ``most`` characters.

    Raises:
        RecordError: a line is longer, or not text.
    """
    readline = getattr(lines, "readline", None)
    following = iter(lines) if readline is None else iter(lambda: readline(most + 1), "")
    number = 0
    while True:
        number += 1
        try:
            line = next(following)
        except StopIteration:
            return
        except UnicodeDecodeError as error:
            # A file is decoded ahead of its lines, so it may also be a later line.
            raise RecordError(f"Line {number} or one soon after: no text ({error.reason}).") from None
        if len(line) > most:
            raise RecordError(f"Line {number}: it has more than {most:,} characters.")
        yield line


def names_in_zip(path: str | Path) -> list[str]:
    """The names of the members of a zip file, none of which is opened; empty if it is not one, or has very many."""
    tail, start = END_OF_ZIP + LONGEST_COMMENT + MOST_DIRECTORY, b"PK\3\4"
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe may never end
            return []
        with open(path, "rb") as file:
            if file.read(len(start)) != start:
                return []
            file.seek(max(0, file.seek(0, os.SEEK_END) - tail))
            content = file.read(tail)
    except (OSError, ValueError):
        return []
    place = content.rfind(b"PK\5\6", -END_OF_ZIP - LONGEST_COMMENT)
    end = content[place : place + END_OF_ZIP] if place >= 0 else b""
    if len(end) < END_OF_ZIP:
        return []
    count, size = int.from_bytes(end[10:12], "little"), int.from_bytes(end[12:16], "little")
    if count > MOST_MEMBERS or size > min(place, MOST_DIRECTORY):
        return []
    return _names_in_directory(content[place - size : place], count)


def _names_in_directory(directory: bytes, count: int) -> list[str]:
    """The names in the list at the end of a zip file: in each entry, after 46 bytes that say how long its parts are."""
    names, place = [], 0
    for _ in range(count):
        entry = directory[place : place + 46]
        if len(entry) < 46 or not entry.startswith(b"PK\1\2"):
            return []
        lengths = [int.from_bytes(entry[start : start + 2], "little") for start in (28, 30, 32)]
        names.append(directory[place + 46 : place + 46 + lengths[0]].decode("utf-8", "replace"))
        place += 46 + sum(lengths)
    return names
