"""Every error a user can cause: one sentence that says what, where, and what would be right."""

from __future__ import annotations

import contextlib
import errno
import re
import reprlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rat_envs.engine.installation import clone_folder, install_command

__all__ = [
    "LONGEST_REASON",
    "LONGEST_VALUE",
    "AnswerError",
    "CacheWarning",
    "ChangedRulesWarning",
    "CheckpointError",
    "ConfigurationError",
    "ContractError",
    "IllegalActionError",
    "LeakError",
    "MissingCloneError",
    "MissingExtraError",
    "PluginError",
    "PluginWarning",
    "RatEnvsError",
    "RecordError",
    "UnknownNameError",
    "UnknownOptionError",
    "UnsupportedVersionError",
    "beginning",
    "demand_clone",
    "is_of_closed_pipe",
    "missing_extra",
    "needing",
    "reason_not_compiled",
    "reason_of",
    "shown",
    "shown_name",
    "shown_path",
]

#: The most characters of a value, of a path and of another error's message that a sentence quotes.
LONGEST_VALUE, LONGEST_PATH, LONGEST_REASON = 80, 120, 200
#: Whole numbers of more binary digits are not written out: Python refuses that from 4,300 decimal digits on.
LONGEST_NUMBER = 256

#: Writes values without ever writing the whole of a large one.
_writer = reprlib.Repr()
_writer.maxlevel = 4
_writer.maxtuple = _writer.maxlist = _writer.maxset = _writer.maxfrozenset = _writer.maxdict = 20
_writer.maxstring = _writer.maxother = 2 * LONGEST_VALUE


def shown(value: Any, most: int = LONGEST_VALUE) -> str:
    """A value that a user has given, as an error quotes it: as Python writes it, in one line.

    Args:
        value: anything.
        most: the most characters; of a longer text only the beginning is shown.
    """
    if isinstance(value, int) and value.bit_length() > LONGEST_NUMBER:
        return f"a whole number of about {value.bit_length() * 3 // 10} digits"
    try:
        text = _writer.repr(value)
    except Exception:  # whatever the value's own __repr__ raises
        text = f"a {type(value).__name__}"
    return beginning(text, most)


def shown_name(value: Any) -> str:
    """The same for a value that should be a name: a text is shown without quotation marks."""
    return shown(value).strip("'\"") if isinstance(value, str) else shown(value)


def shown_path(path: Any) -> str:
    """A path as an error quotes it, in one line; only the end of a very long one."""
    text = _in_one_line(str(path))
    return text if len(text) <= LONGEST_PATH else "…" + text[1 - LONGEST_PATH :]


def reason_of(error: BaseException | str) -> str:
    """Another error's message, to be quoted within a sentence: one line, not too long, and without its full stop."""
    if isinstance(error, KeyError) and len(error.args) == 1:  # whose message is only the name
        return f"it has no {shown(error.args[0])}"
    return beginning(" ".join(_in_one_line(str(error)).split()), LONGEST_REASON).rstrip(".")


def is_of_closed_pipe(error: OSError) -> bool:
    """Whether the reader of a pipe has gone, which Windows calls an invalid argument."""
    is_so_on_windows = sys.platform == "win32" and error.errno == errno.EINVAL and error.filename is None
    return isinstance(error, BrokenPipeError) or is_so_on_windows


def reason_not_compiled(error: BaseException) -> str | None:
    """Why Numba cannot compile something, in one line without its listings; None for any other error."""
    if not type(error).__module__.startswith("numba."):
        return None
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))  # Numba writes in bold
    reason = text.partition("\n")[2].partition("\nFile ")[0] or text
    place = re.findall(r'^File "([^"]*)", line (\d+)', text, re.MULTILINE)[-1:]
    where = "".join(f" in {Path(file).name}, line {line}" for file, line in place)
    if "NRT required" in text:
        return f"it makes an array, a list or a dictionary{where}"
    return reason_of(re.sub(r"Failed in nopython mode pipeline \(step: [^)]*\)\s*", "", reason)) + where


def beginning(text: str, most: int) -> str:
    """At most ``most`` characters of a text, in one line that can be printed."""
    text = _in_one_line(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def _in_one_line(text: str) -> str:
    """The same text with blanks for whatever cannot be printed in a line, such as line breaks and lone surrogates."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else " " for letter in text)


class RatEnvsError(ValueError):
    """Base of all errors that are caused by input, not by a defect of the program."""


class ConfigurationError(RatEnvsError):
    """An argument or an option that cannot be used, or that does not fit the others."""


class UnknownOptionError(ConfigurationError, TypeError):
    """A keyword that is not an option of the game: in Python a ``TypeError``, which other people's code expects."""


class IllegalActionError(RatEnvsError):
    """An action that the legal-action mask forbids; the game is left as it was."""


class AnswerError(RatEnvsError):
    """An answer in words that names none of the choices, or several.

    Attributes:
        reason: what is wrong, in a sentence.
        right: what would have been right, in another.
    """

    def __init__(self, reason: str, right: str) -> None:
        super().__init__(f"{reason} {right}")
        self.reason, self.right = reason, right

    def __reduce__(self) -> Any:
        return type(self), (self.reason, self.right)


class RecordError(RatEnvsError):
    """A game record that is damaged, of another game, or that breaks a rule."""


class CheckpointError(RatEnvsError):
    """A saved policy, training state or tournament that is damaged, of another game or of another version."""


class MissingExtraError(ImportError, RatEnvsError):
    """Something needs a library that only an extra of the package installs; ``name`` is the library."""


class MissingCloneError(RatEnvsError):
    """Something changes files of a clone of the repository, and the package is not imported from one."""


class UnsupportedVersionError(RatEnvsError):
    """A library is installed in a version that this package does not work with."""


class ContractError(AssertionError):
    """A game or an agent breaks its contract."""


class PluginError(RatEnvsError):
    """An installed package adds a game or an agent that cannot be used."""


class PluginWarning(UserWarning):
    """The same, when everything else goes on without it."""


class CacheWarning(UserWarning):
    """Compiled code cannot be kept, so that every process compiles anew."""


class ChangedRulesWarning(UserWarning):
    """A module with rules has been loaded again, and compiled code in this process is that of before."""


class LeakError(AssertionError):
    """An agent is shown what it cannot know, or what it cannot know is not sampled fairly."""


class UnknownNameError(RatEnvsError):
    """A game, agent or preset that is not registered."""


def missing_extra(what: str, library: str, extra: str) -> MissingExtraError:
    """The error that says what needs a library, and how to install the extra that has it."""
    return MissingExtraError(f"{what} needs {library}: {install_command(extra)}", name=library)


@contextlib.contextmanager
def needing(what: str, extra: str) -> Iterator[None]:
    """Wrap imports of libraries that only an extra installs: the error says what needs them if one is missing.

    Raises:
        MissingExtraError: an import failed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise missing_extra(what, (error.name or "more").partition(".")[0], extra) from error
    except ImportError as error:  # it is there, but broken or of another version than ours
        reason = f"{what} needs libraries of which one cannot be imported: {reason_of(error)}."
        raise MissingExtraError(reason, name=error.name) from error


def demand_clone(what: str) -> Path:
    """The folder of the clone, for a command that changes files there.

    Raises:
        MissingCloneError: the package is installed by itself; ``what`` names the command.
    """
    clone = clone_folder()
    if clone is None:
        raise MissingCloneError(
            f"{what} changes files of a clone of the repository, and this rat_envs is not in one: run it in a clone, "
            "installed with pip install -e ."
        )
    return clone
