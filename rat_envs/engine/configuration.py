"""Configurations: frozen dataclasses that check themselves and know how they are stored in a game's row."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from rat_envs.engine.errors import LONGEST_VALUE, ConfigurationError, UnknownOptionError, shown, shown_name
from rat_envs.engine.files import NotJsonError, parse_json

__all__ = [
    "Configuration",
    "Integer",
    "Option",
    "as_json",
    "choice",
    "integer",
    "is_whole_number",
    "parse_options",
    "shown_as_json",
    "switch",
]

Self = TypeVar("Self", bound="Configuration")


@dataclass(frozen=True)
class Option:
    """The values that one field of a configuration may have, and how it is stored in the row.

    A game whose option is a table subclasses this and overrides :meth:`values`, :meth:`check`, :meth:`encode` and
    :attr:`dtype`.
    """

    default: Any
    text: str
    rule: str

    @property
    def dtype(self) -> Any:
        """Stored form: a numpy dtype, with a shape for tables, as in ``np.dtype(("i1", (5,)))``."""
        return "i1"

    def values(self) -> str:
        """The admissible values, in words for a person."""
        raise NotImplementedError

    def check(self, value: Any) -> str | None:
        """What would be right instead of ``value``; None if it is admissible."""
        raise NotImplementedError

    def encode(self, value: Any) -> Any:
        """The stored form of an admissible value."""
        raise NotImplementedError

    def declare(self) -> Any:
        """The field of a :class:`Configuration` with this option."""
        return dataclasses.field(default=self.default, metadata={"option": self})


def is_whole_number(value: Any, low: int, high: float) -> bool:
    """Whether ``value`` is a whole number between two bounds, both included; true and false are not."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return whole and bool(low <= value <= high)


class Switch(Option):
    """True or false; stored as 1 or 0."""

    def values(self) -> str:
        return "false, true"

    def check(self, value: Any) -> str | None:
        return None if isinstance(value, (bool, np.bool_)) else "true or false"

    def encode(self, value: Any) -> int:
        return int(value)


@dataclass(frozen=True)
class Choice(Option):
    """One of several texts; stored as its place in the list."""

    among: tuple[str, ...]

    def values(self) -> str:
        return ", ".join(self.among)

    def check(self, value: Any) -> str | None:
        return None if isinstance(value, str) and value in self.among else "one of " + ", ".join(self.among)

    def encode(self, value: Any) -> int:
        return self.among.index(value)


@dataclass(frozen=True)
class Integer(Option):
    """A whole number between two bounds, both included."""

    low: int
    high: int

    @property
    def dtype(self) -> Any:
        kinds = ("i1", "i2", "i4")
        fitting = (kind for kind in kinds if np.iinfo(kind).min <= self.low and self.high <= np.iinfo(kind).max)
        return next(fitting, "i8")

    def values(self) -> str:
        return f"{self.low} … {self.high}"

    def check(self, value: Any) -> str | None:
        right = is_whole_number(value, self.low, self.high)
        return None if right else f"a whole number from {self.low} to {self.high}"

    def encode(self, value: Any) -> int:
        return int(value)


def switch(default: bool, text: str, rule: str) -> Any:
    """Declare a configuration field that is true or false."""
    return Switch(default, text, rule).declare()


def choice(default: str, among: tuple[str, ...], text: str, rule: str) -> Any:
    """Declare a configuration field that is one of several texts."""
    return Choice(default, text, rule, among).declare()


def integer(default: int, low: int, high: int, text: str, rule: str) -> Any:
    """Declare a configuration field that is a whole number from ``low`` to ``high``."""
    return Integer(default, text, rule, low, high).declare()


class FrozenTable(Mapping[str, Any]):
    """An immutable, hashable mapping: what a JSON object becomes in a configuration."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def __repr__(self) -> str:
        return repr(self._values)


def _frozen(value: Any) -> Any:
    """Lists and objects from JSON in an immutable, hashable form; numbers and arrays of NumPy as Python's, which can be
    compared and written to JSON."""
    if isinstance(value, np.ndarray):
        return _frozen(value.tolist())
    if isinstance(value, Mapping):
        return FrozenTable({name: _frozen(part) for name, part in value.items()})
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(part) for part in value)
    return value.item() if isinstance(value, np.generic) else value


def _plain(value: Any) -> Any:
    """The same value with lists and dictionaries again."""
    if isinstance(value, FrozenTable):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


def as_json(value: Any) -> str:
    """A value, or a part of one, as a user writes it."""
    return json.dumps(_plain(value), default=str)


def shown_as_json(value: Any) -> str:
    """A value as an error quotes it where users write JSON; only the beginning of a large table."""
    try:
        text = as_json(value)
    except (ValueError, TypeError, RecursionError):  # more digits, or a deeper nesting, than Python writes
        text = shown(value)
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "…"


@dataclass(frozen=True)
class Configuration:
    """Base of every game's configuration: immutable, comparable, hashable, checked when it is made.

    Subclasses are frozen dataclasses whose fields are declared with :func:`switch`, :func:`choice`, :func:`integer`
    or an :class:`Option` of their own.

    Raises:
        ConfigurationError: a value is not admissible; the sentence names the field and what would be right.
        TypeError: when a subclass is defined: an option has a name that every configuration has.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name in cls.__annotations__:
            if name != "players" and hasattr(Configuration, name):
                raise TypeError(
                    f"{cls.__name__}: an option cannot be called {name!r}, as every configuration has that."
                )

    def __post_init__(self) -> None:
        for name, option in self.options().items():
            value = _frozen(getattr(self, name))
            object.__setattr__(self, name, value)
            self._demand(name, option.check(value))
        self._demand(*self.conflict())

    def _demand(self, name: str, right: str | None) -> None:
        if right is not None:
            raise ConfigurationError(f"{name}={shown_as_json(getattr(self, name))}: must be {right}.")

    def conflict(self) -> tuple[str, str | None]:
        """An option that conflicts with the others, and what would be right; None for the latter if all go together."""
        return "", None

    @property
    def players(self) -> int:
        """Number of seats; a game with a variable number declares a field of this name."""
        raise NotImplementedError

    @property
    def is_public(self) -> bool:
        """Whether two play and nothing is hidden but simultaneous choices: only then can public states be solved."""
        return self.players == 2 and self.hidden_information() is None

    def hidden_information(self) -> str | None:
        """What one seat knows and another does not, apart from simultaneous choices; None if there is nothing."""
        raise NotImplementedError

    @classmethod
    @functools.cache
    def options(cls) -> dict[str, Option]:
        """The declared options by field name, in the order of the game's configuration table.

        Raises:
            TypeError: a field has no option.
        """
        for field in dataclasses.fields(cls):
            if "option" not in field.metadata:
                raise TypeError(
                    f"{cls.__name__}.{field.name} is not an option: declare it with switch, choice or integer."
                )
        return {field.name: field.metadata["option"] for field in dataclasses.fields(cls)}

    @classmethod
    def dtype(cls) -> np.dtype:
        """Structured dtype of the configuration's part of a row."""
        return np.dtype((np.record, [(name, option.dtype) for name, option in cls.options().items()]))

    @classmethod
    def make(cls: type[Self], values: Mapping[str, Any] | Self | None = None) -> Self:
        """A configuration from a mapping of field names to values; what is not named keeps its default.

        Raises:
            ConfigurationError: it is not a mapping, or a value is not admissible.
            UnknownOptionError: a name is not one of the options.
        """
        if values is None:
            return cls()
        if isinstance(values, cls):
            return values
        if not isinstance(values, Mapping):
            raise ConfigurationError(
                f"A configuration must be a mapping of option names to values, not {shown(values)}."
            )
        unknown = [shown_name(name) for name in values if name not in cls.options()]
        if unknown:
            raise UnknownOptionError(
                f"Unknown option {unknown[0]}: the options are {', '.join(cls.options()) or 'none'}."
            )
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Every field by name, as plain JSON values."""
        return {name: _plain(getattr(self, name)) for name in self.options()}

    def write(self, out: Any) -> None:
        """Write the stored form of every field into ``out``, a record of :meth:`dtype`."""
        for name, option in self.options().items():
            out[name] = option.encode(getattr(self, name))


def parse_options(arguments: Iterable[str]) -> dict[str, Any]:
    """Configuration values from ``KEY=VALUE`` texts; a value is read as JSON if possible, else as a text.

    Texts in a list or an object need no quotes, which not every shell passes on.

    Raises:
        ConfigurationError: a text has no ``=``, or a name is given twice.
    """
    values: dict[str, Any] = {}
    for argument in arguments:
        name, equals, text = argument.partition("=")
        if not equals or not name:
            raise ConfigurationError(f"{shown(argument)} is not an option: write KEY=VALUE, for instance players=3.")
        _demand_once([*values, name])
        values[name] = text
        with contextlib.suppress(NotJsonError):
            values[name] = parse_json(text if '"' in text else _with_quotes(text), _with_each_name_once)
    return values


def _with_quotes(text: str) -> str:
    """The same with quotes around the texts between the punctuation of lists and objects."""
    return re.sub(r"[^][{},:]+", _quoted, text) if text[:1] in ("[", "{") else text


def _quoted(match: re.Match[str]) -> str:
    word = match.group().strip()
    try:
        parse_json(word or "null")
    except NotJsonError:
        return json.dumps(word)
    return match.group()


def _with_each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object that a user has written, in which no name may be given twice."""
    _demand_once([name for name, _ in pairs])
    return dict(pairs)


def _demand_once(names: list[str]) -> None:
    for name, times in Counter(names).most_common(1):
        if times > 1:
            raise ConfigurationError(f"{shown_name(name)} is there twice: give one value.")
