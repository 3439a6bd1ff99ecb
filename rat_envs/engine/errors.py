"""Every error a user can cause: one sentence that says what, where, and what would be right."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from rat_envs.engine.installation import clone_folder, install_command

__all__ = [
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
    "UnsupportedVersionError",
    "demand_clone",
    "missing_extra",
    "needing",
]


class RatEnvsError(ValueError):
    """Base of all errors that input, not a defect of the program, has caused."""


class ConfigurationError(RatEnvsError):
    """A configuration names an option or a value that the game does not have."""


class IllegalActionError(RatEnvsError):
    """An action that the legal-action mask forbids; the game is left as it was."""


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
    """A game or an agent does not keep what is asked of it."""


class PluginError(RatEnvsError):
    """An installed package adds a game or an agent that cannot be used."""


class PluginWarning(UserWarning):
    """The same, where everything else goes on without it."""


class LeakError(AssertionError):
    """An agent is shown what it cannot know, or what it cannot know is not sampled fairly."""


class UnknownNameError(RatEnvsError):
    """A game, agent or preset that is not registered."""


def missing_extra(what: str, library: str, extra: str) -> MissingExtraError:
    """The error that says what needs a library, and how to install the extra that has it."""
    return MissingExtraError(f"{what} needs {library}: {install_command(extra)}", name=library)


@contextlib.contextmanager
def needing(what: str, extra: str) -> Iterator[None]:
    """Around imports of libraries that only an extra installs: say what needs them if one is missing.

    Raises:
        MissingExtraError: an import failed.
    """
    try:
        yield
    except ImportError as error:
        raise missing_extra(what, (error.name or "more").partition(".")[0], extra) from error


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
