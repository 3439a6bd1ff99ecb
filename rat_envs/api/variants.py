"""House rules: a game like another one, in which some names of its rules stand for something else."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from rat_envs.engine.compile import OUT_OF_LINE
from rat_envs.engine.errors import ConfigurationError, UnknownNameError, shown, shown_name
from rat_envs.engine.game import Game, Rules
from rat_envs.engine.registry import get_game

__all__ = ["variant"]


def variant(game: str | Game, name: str, changes: Mapping[str, Any], **parts: Any) -> Game:
    """A new game whose rules are those of another one, but in which some names stand for something else.

    All functions of the new game, and whatever they call in the other game's package, are copies in which the names
    mean what you give. The other game stays as it is, also in the same process.

    Args:
        game: the other game, by name or as a ``Game``.
        name: the new game's name; it is not registered.
        changes: by the name of a table, a number or a function at the top of one of the other game's modules, what it
            is in the new game. Where two modules have the name for different things, write the module, too:
            ``rounds.rounds_needed``.
        parts: other parts of the new :class:`~rat_envs.engine.game.Game`, such as ``title`` and ``version``. It has no
            place on the ladder unless you give it one.

    Raises:
        UnknownNameError: there is no such game, or none of its functions uses a name while a game is played.
        ConfigurationError: a name stands for different things in different modules of the game.
        TypeError: the new game cannot be so.
    """
    base = get_game(game)
    functions = {rule.name: getattr(base.rules, rule.name) for rule in fields(Rules)}
    others = {part.name: getattr(base, part.name) for part in fields(Game) if part.name != "rules"}
    package = _package_of(base)
    used = _names_used(package, [*functions.values(), *others.values()])
    copies = _Copies(package, [_change(base, package, used, name, new) for name, new in changes.items()])
    rules = Rules(**{each: copies.of(function) for each, function in functions.items()})
    changed = {each: copies.of(value) for each, value in others.items() if copies.of(value) is not value}
    return replace(base, **{**changed, "rules": rules, "ladder": None, "name": name, **parts})


def _package_of(game: Game) -> str:
    """The package that holds a game, or its module if that is in none."""
    module = game.rules.setup.__module__
    return module.rpartition(".")[0] or module


def _is_of(package: str, value: Any) -> bool:
    return isinstance(value, FunctionType) and f"{value.__module__}.".startswith(f"{package}.")


def _names_itself(function: FunctionType) -> bool:
    """Whether a function can be changed by its own name."""
    return function.__globals__.get(function.__name__) is function


def _within(value: Any) -> Iterable[Any]:
    """What a container holds, such as a table of functions."""
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, (tuple, list)) else ()


def _names_in(code: CodeType) -> Iterator[str]:
    """The names that code uses, with the functions and comprehensions within it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def _names_used(package: str, values: Iterable[Any]) -> dict[str, list[tuple[str, Any]]]:
    """By each name that the functions among some values use, with all that they call: in which modules, and what it
    stands for there."""
    used: dict[str, list[tuple[str, Any]]] = {}
    waiting, seen = list(values), set[int]()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        waiting += _within(value)
        if not _is_of(package, value):
            continue
        itself = {value.__name__} if _names_itself(value) else set()
        for name in value.__globals__.keys() & {*_names_in(value.__code__), *itself}:
            waiting.append(value.__globals__[name])
            used.setdefault(name, []).append((value.__module__, value.__globals__[name]))
    return used


class _Change(NamedTuple):
    """What a name stands for in a game, and what in the variant."""

    name: str
    old: Any
    new: Any


def _change(game: Game, package: str, used: Mapping[str, list[tuple[str, Any]]], given: str, new: Any) -> _Change:
    """The change of a name, which may have its module before it.

    Raises:
        UnknownNameError: no function uses it while a game is played.
        ConfigurationError: without a module it stands for different things.
    """
    module, _, name = str(given).rpartition(".")
    uses = used.get(name, [])
    if module:
        wanted = getattr(sys.modules.get(f"{package}.{module}"), name, uses)  # a list is what no name stands for
        uses = [use for use in uses if use[1] is wanted]
    if not uses:
        raise UnknownNameError(_unused(game, package, given))
    places = {id(value): where.rpartition(".")[2] for where, value in reversed(uses)}
    places |= {id(value): value.__module__.rpartition(".")[2] for _, value in uses if isinstance(value, FunctionType)}
    if len(places) > 1:
        which = " or ".join(sorted(f"{place}.{name}" for place in places.values()))
        raise ConfigurationError(
            f"In {game.name} the name {shown_name(name)} stands for different things: give {which}."
        )
    return _Change(name, uses[0][1], new)


def _unused(game: Game, package: str, name: str) -> str:
    """The sentence on a name that no function uses."""
    modules = {key: module for key, module in list(sys.modules.items()) if f"{key}.".startswith(f"{package}.")}
    if any(hasattr(module, str(name).rpartition(".")[2]) for module in modules.values()):
        return (
            f"No function of {game.name} uses {shown_name(name)} while a game is played: what is computed from it when "
            "the module is imported, such as a table, has to be given itself."
        )
    return f"No function of {game.name} uses the name {shown(name)}."


@dataclass
class _Copies:
    """Copies of the functions of a package, over copies of its modules' names with some changed."""

    package: str
    changes: Sequence[_Change]
    _copied: dict[int, Any] = field(default_factory=dict)
    _names: dict[int, dict[str, Any]] = field(default_factory=dict)
    #: What has an entry above: while it is kept, no other object has its number.
    _kept: list[Any] = field(default_factory=list)

    def of(self, value: Any) -> Any:
        """The copy of a function of the package, or of a table that holds some; anything else is returned as it is."""
        if id(value) not in self._copied:
            self._kept.append(value)
            self._copied[id(value)] = value  # while it is looked at: a table that holds itself
            if _is_of(self.package, value):
                self._copy(value)
            elif type(value) in (dict, tuple, list):
                self._copied[id(value)] = self._table(value)
        return self._copied[id(value)]

    def _table(self, table: Any) -> Any:
        held = [self.of(value) for value in _within(table)]
        if all(new is old for new, old in zip(held, _within(table), strict=True)):
            return table
        return dict(zip(table, held, strict=True)) if isinstance(table, dict) else type(table)(held)

    def _copy(self, function: FunctionType) -> None:
        if _names_itself(function) and (change := self._change(function.__name__, function)):
            self._copied[id(function)] = change.new
            return
        names = self._names.get(id(function.__globals__))
        is_new = names is None
        if names is None:
            names = self._names[id(function.__globals__)] = dict(function.__globals__)
        copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
        copy.__kwdefaults__ = function.__kwdefaults__
        copy.__qualname__, copy.__doc__ = function.__qualname__, function.__doc__
        copy.__dict__.update(function.__dict__)
        self._copied[id(function)] = copy
        if function in OUT_OF_LINE:
            OUT_OF_LINE.add(copy)
        if is_new:
            for name, value in list(names.items()):
                change = self._change(name, value)
                names[name] = self.of(value) if change is None else change.new

    def _change(self, name: str, value: Any) -> _Change | None:
        return next((change for change in self.changes if change.name == name and change.old is value), None)
