"""The options of a learner on a command line: listing them, and parsing and checking their values."""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import re
from collections.abc import Iterable
from typing import Any, get_type_hints

from rat_envs.engine.configuration import parse_options
from rat_envs.engine.errors import ConfigurationError, shown, shown_name
from rat_envs.engine.game import Game
from rat_envs.run_results import SEPARATE
from rat_envs.training.fitting import fitted, in_json
from rat_envs.training.run import RunOptions

__all__ = ["demand_no_settings", "list_settings", "parse_settings"]


def parse_settings(kind: type[RunOptions], texts: Iterable[str]) -> dict[str, Any]:
    """Options from texts ``NAME=VALUE``; a value is read as JSON if possible, otherwise as text.

    Raises:
        ConfigurationError: the learner has no such option, or its value has another type.
    """
    known = {field.name for field in dataclasses.fields(kind)} - SEPARATE
    types = get_type_hints(kind)
    settings, texts = {}, list(texts)
    for text in texts:
        if "=" not in text:
            raise ConfigurationError(f"--set {shown_name(text)}: write NAME=VALUE, as in --set learning_rate=0.001.")
    for name, value in parse_options(texts).items():
        if name in SEPARATE:
            raise ConfigurationError(f"--set {name}: it has an argument of its own.")
        if name not in known:
            near, having = difflib.get_close_matches(name, sorted(known), 1), learners_with(name)
            hint = f"did you mean {near[0]!r}?" if near else "--list-options names those it has."
            hint = f"it is one of {' and '.join(having)}." if having else hint
            raise ConfigurationError(f"The learner {kind.LEARNER} has no option {shown(name)}: {hint}")
        try:
            settings[name] = fitted(value, types[name])
        except TypeError:
            raise ConfigurationError(f"{name}={shown(value)}: must be {in_json(types[name])}.") from None
    return settings


def learners_with(name: str) -> list[str]:
    """The learners that have an option of this name."""
    from rat_envs.training.recommended import LEARNERS

    kinds = {learner: {field.name for field in dataclasses.fields(kind)} for learner, kind in LEARNERS.items()}
    return [learner for learner, names in kinds.items() if name in names - SEPARATE]


def demand_no_settings(game: Game, options: Iterable[str]) -> None:
    """Refuse options of a learner, KEY=VALUE, among those of a game.

    Raises:
        ConfigurationError: there is one.
    """
    for text in options:
        name = text.partition("=")[0]
        if name not in game.configuration.options() and learners_with(name):
            raise ConfigurationError(
                f"{shown_name(name)} is not an option of {game.name} but of a learner: write --set {shown_name(text)}."
            )


def list_settings(kind: type[RunOptions]) -> list[tuple[str, Any, str]]:
    """Name, default and description of each option that :func:`parse_settings` takes."""
    texts: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        texts |= described(each)
    defaults = {
        field.name: field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        for field in dataclasses.fields(kind)
    }
    return [(name, default, texts.get(name, "")) for name, default in defaults.items() if name not in SEPARATE]


def described(kind: type) -> dict[str, str]:
    """The description of each attribute in the docstring of a class, on one line each."""
    attributes = (inspect.cleandoc(kind.__doc__ or "")).partition("Attributes:\n")[2].partition("\n\n")[0]
    entries = re.findall(r"^    (\w+): (.*(?:\n {8,}.*)*)", attributes, re.MULTILINE)
    return {name: " ".join(re.sub(r":\w+:`~?([^`]*)`|``", r"\1", text).split()) for name, text in entries}
