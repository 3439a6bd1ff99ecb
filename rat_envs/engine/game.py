"""The contract between a game and everything that plays it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from rat_envs.engine import contract
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import UnknownNameError
from rat_envs.engine.presets import Preset

if TYPE_CHECKING:
    from rat_envs.engine.story import Event

__all__ = ["CHANCE", "TERMINAL", "Game", "Node", "Rules", "environment_id", "gymnasium_id"]

#: ``actor(row)`` at a chance node.
CHANCE = -1
#: ``actor(row)`` when the game is over.
TERMINAL = -2


@dataclass(frozen=True)
class Node:
    """One kind of node in a game's fixed order, for its documentation: who acts, what is written, and when."""

    actor: str
    action: str
    when: str


def nothing_seen(event: Event, seat: int | None) -> list[str]:
    """``sees`` of a game that tells no story."""
    return []


def nothing_forgotten(event: Event) -> Any:
    """``open_facts`` of a game whose observations keep all that is public."""


@dataclass(frozen=True)
class Rules:
    """A game's rules, by the names and as the docstrings of :mod:`rat_envs.engine.contract` say.

    Of the last five a game leaves out what has no meaning in it.
    """

    setup: Callable[..., Any]
    actor: Callable[..., Any]
    legal: Callable[..., Any]
    chance: Callable[..., Any]
    apply: Callable[..., Any]
    observe: Callable[..., Any]
    observe_fixed: Callable[..., Any]
    returns: Callable[..., Any]
    scores: Callable[..., Any]
    winners: Callable[..., Any]
    determinize: Callable[..., Any]
    forget: Callable[..., Any] = contract.forget
    tally: Callable[..., Any] = contract.tally
    simultaneous: Callable[..., Any] = contract.simultaneous
    answering: Callable[..., Any] = contract.answering
    public: Callable[..., Any] = contract.public

    @classmethod
    def of(cls, module: ModuleType) -> Rules:
        """The rules that a module holds under these names."""
        named = {field.name: getattr(module, field.name, None) for field in fields(cls)}
        return cls(**{name: rule for name, rule in named.items() if rule is not None})


@dataclass(frozen=True, eq=False)
class Game:
    """One game, declared once: everything else (environments, records, search, documentation) is derived from it.

    Attributes:
        name: the name in commands and records, as a Python identifier.
        title: the name in print.
        version: rises with any change that may affect learning.
        summary: one sentence for tables.
        configuration: the dataclass of its options.
        state: structured dtype of a row; the first field is ``config``.
        observation: structured dtype of int8 fields, viewed flat as the network's vector.
        fixed_from: the first of the last fields of ``observation``, those that ``observe_fixed`` writes.
        observation_notes: for every field of ``observation`` what it holds, for the documentation.
        actions: text of every player action, by number.
        outcomes: text of every chance outcome, by number.
        nodes: the kinds of nodes in their fixed order, for the documentation.
        metrics: what ``tally`` counts for every seat, by name, each with what it means.
        seats: the largest number of players.
        seat_actions: of every block of actions that name player_0, player_1 and so on, the number of the first.
        rules: the functions.
        text: ``(record, point of view) -> str``: the table as a seat (or None: as everybody) sees it.
        drawing: ``(record, point of view) -> str``: the same as SVG.
        sees: ``(event, point of view) -> sentences``: what a seat (or None: a spectator) sees of an
            :class:`~rat_envs.engine.story.Event`.
        open_facts: ``(event) -> anything``: what everybody sees of an event by the rules although no observation keeps
            it, for the leak test of stories.
        presets: positions with a name, among them ``small``, small enough to be solved.
    """

    name: str
    title: str
    version: int
    summary: str
    configuration: type[Configuration]
    state: np.dtype
    observation: np.dtype
    fixed_from: str
    observation_notes: dict[str, str]
    actions: tuple[str, ...]
    outcomes: tuple[str, ...]
    nodes: tuple[Node, ...]
    metrics: dict[str, str]
    seats: int
    seat_actions: tuple[int, ...]
    rules: Rules
    text: Callable[[Any, int | None], str]
    drawing: Callable[[Any, int | None], str]
    presets: tuple[Preset, ...] = ()
    sees: Callable[[Event, int | None], list[str]] = nothing_seen
    open_facts: Callable[[Event], Any] = nothing_forgotten

    def __post_init__(self) -> None:
        for dtype in (self.state, self.observation):
            taken = [name for name in dtype.names or () if hasattr(np.record, name)]
            if taken:
                raise TypeError(f"{self.name} has a field {taken[0]!r}: every record of numpy has that name already.")
        if self.fixed_from not in (self.observation.names or ()):
            raise TypeError(f"{self.name}: fixed_from={self.fixed_from!r} is not a field of its observation.")

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self  # declared once, and never changed

    def __reduce__(self) -> Any:
        from rat_envs.engine.registry import get_game

        return get_game, (self.name,)

    @property
    def bytes_before_fixed(self) -> int:
        """So many bytes of an observation can change in the course of a game; they come first."""
        fields: Any = self.observation.fields
        return fields[self.fixed_from][1]

    @cached_property
    def action_numbers(self) -> dict[str, int]:
        """The number of every action text."""
        return {text: number for number, text in enumerate(self.actions)}

    @cached_property
    def outcome_numbers(self) -> dict[str, int]:
        """The number of every outcome text."""
        return {text: number for number, text in enumerate(self.outcomes)}

    @cached_property
    def relative_actions(self) -> np.ndarray:
        """(P + 1, P, A) int64: by number of players and by seat, the action that each number stands for when the
        players whom actions name are counted clockwise from that seat, as they are in observations."""
        table = np.tile(np.arange(len(self.actions)), (self.seats + 1, self.seats, 1))
        for players in range(2, self.seats + 1):
            for seat in range(players):
                for first in self.seat_actions:
                    table[players, seat, first : first + players] = first + (seat + np.arange(players)) % players
        return table

    @property
    def environment_id(self) -> str:
        """The identifier in PettingZoo's registry."""
        return environment_id(self.name, self.version)

    @property
    def gymnasium_id(self) -> str:
        """The identifier in gymnasium's registry."""
        return gymnasium_id(self.name, self.version)

    def preset(self, name: str) -> Preset:
        """The preset of that name.

        Raises:
            UnknownNameError: the game has no such preset.
        """
        for preset in self.presets:
            if preset.name == name:
                return preset
        names = ", ".join(preset.name for preset in self.presets)
        known = f"its presets are {names}" if names else "it has none"
        raise UnknownNameError(f"{self.name} has no preset {name!r}: {known}.")

    def new_row(self, configuration: Configuration) -> np.ndarray:
        """An array of one row that holds nothing but the configuration."""
        rows = np.zeros(1, self.state)
        configuration.write(rows["config"][0])
        return rows


def environment_id(name: str, version: int) -> str:
    """A game's identifier in PettingZoo's registry."""
    return f"rat/{name.replace('_', '-')}-v{version}"


def gymnasium_id(name: str, version: int) -> str:
    """A game's identifier in gymnasium's registry."""
    return f"rat_envs/{''.join(word.capitalize() for word in name.split('_'))}-v{version}"
