"""Every error a user can cause: one sentence that says what, where, and what would be right."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

__all__ = [
    "CheckpointError",
    "ConfigurationError",
    "IllegalActionError",
    "LeakError",
    "MissingExtraError",
    "PluginError",
    "PluginWarning",
    "RatEnvsError",
    "RecordError",
    "UnknownNameError",
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


class MissingExtraError(RatEnvsError):
    """Something needs a library that only an extra of the package installs."""


class PluginError(RatEnvsError):
    """An installed package adds a game or an agent that cannot be used."""


class PluginWarning(UserWarning):
    """The same, where everything else goes on without it."""


class LeakError(AssertionError):
    """An agent is shown what it cannot know, or what it cannot know is not sampled fairly."""


class UnknownNameError(RatEnvsError):
    """A game, agent or preset that is not registered."""


@contextlib.contextmanager
def needing(what: str, extra: str) -> Iterator[None]:
    """Around imports of libraries that only an extra installs: say what needs them if one is missing.

    Raises:
        MissingExtraError: an import failed.
    """
    try:
        yield
    except ImportError as error:
        library = (error.name or "more").partition(".")[0]
        raise MissingExtraError(f"{what} needs {library}: pip install rat-envs[{extra}]") from error
