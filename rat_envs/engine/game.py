"""The contract between a game and everything that plays it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rat_envs.engine import contract
from rat_envs.engine.attributes import with_attributes
from rat_envs.engine.choices import Offer, plain_words
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.demands import complaints, is_plain
from rat_envs.engine.errors import ConfigurationError, UnknownNameError, shown
from rat_envs.engine.plain_view import plain_drawing, plain_text
from rat_envs.engine.presets import Preset
from rat_envs.engine.settings import Ladder

if TYPE_CHECKING:
    from rat_envs.engine.story import Event

__all__ = [
    "CHANCE",
    "EVERYTHING",
    "TERMINAL",
    "Game",
    "Node",
    "PointOfView",
    "Rules",
    "always_open",
    "environment_id",
    "gymnasium_id",
]

#: ``actor(row)`` at a chance node.
CHANCE = -1
#: ``actor(row)`` when the game is over.
TERMINAL = -2

#: The point of view from which nothing is hidden: what all seats know together. It is nobody's at the table.
EVERYTHING: Literal["all"] = "all"
#: A point of view: a seat, None for a spectator who knows what everybody knows, or ``EVERYTHING``.
PointOfView = int | Literal["all"] | None


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


def always_open(row: Any, seat: int | None) -> bool:
    """``asks_openly`` of a game in which everybody knows when somebody is asked."""
    return True


@dataclass(frozen=True)
class Rules:
    """A game's rules, with the names and the meanings in :mod:`rat_envs.engine.contract`.

    The rules with a default, from ``observe_fixed`` on, may be left out where they mean nothing in a game.
    """

    setup: Callable[..., Any]
    actor: Callable[..., Any]
    legal: Callable[..., Any]
    chance: Callable[..., Any]
    apply: Callable[..., Any]
    observe: Callable[..., Any]
    returns: Callable[..., Any]
    scores: Callable[..., Any]
    winners: Callable[..., Any]
    determinize: Callable[..., Any]
    observe_fixed: Callable[..., Any] = contract.observe_fixed
    eliminated: Callable[..., Any] = contract.eliminated
    tally: Callable[..., Any] = contract.tally
    simultaneous: Callable[..., Any] = contract.simultaneous
    answering: Callable[..., Any] = contract.answering
    public: Callable[..., Any] = contract.public
    possible: Callable[..., Any] = contract.possible

    @classmethod
    def of(cls, module: ModuleType) -> Rules:
        """The rules that a module holds under these names.

        Raises:
            TypeError: one that every game needs is not there, or is not a function.
        """
        named = {}
        for rule in fields(cls):
            function = getattr(module, rule.name, rule.default)
            if not callable(function):
                wrong = f"no function {rule.name!r}" if function is MISSING else f"{rule.name!r}, but not as a function"
                raise TypeError(f"The module {module.__name__} has {wrong}: the rules of a game need it.")
            named[rule.name] = function
        return cls(**named)


@dataclass(frozen=True, eq=False)
class Game:
    """One game, declared once: everything else (environments, records, search, documentation) is derived from it.

    The fields after ``rules`` may be left out.

    Attributes:
        name: the name in commands and records, as a Python identifier in small letters.
        title: the name in print.
        configuration: the dataclass of its options.
        state: structured dtype of a row; the first field is ``config``.
        observation: structured dtype of int8 fields, viewed flat as the network's vector.
        actions: text of every player action, by number.
        outcomes: text of every chance outcome, by number.
        seats: the largest number of players.
        rules: the functions.
        version: rises with any change that may affect learning.
        compile_seconds: how long compiling it for its first game usually takes, for those who wait; None if it was not
            measured.
        summary: one sentence for tables.
        how_to_play: the rules as a page of Markdown, for people who do not know them; its links are those of a page in
            ``docs/playing``.
        fixed_from: the first of the fields at the end of ``observation`` that ``observe_fixed`` writes; None if there
            are none.
        knowledge: fields of ``state`` that hold what seats know, not what lies on the table: ``determinize`` replaces
            them by what its seat can tell of the others, which is not a sample of them.
        ranges: for every field of ``state`` but ``config``, the least and the greatest value it can have when a seat
            acts or the game is over, for states from outside; if empty, no field is checked.
        observation_notes: for every field of ``observation`` what it holds, for the documentation.
        nodes: the kinds of nodes in their fixed order, for the documentation.
        metrics: what ``tally`` counts for every seat, by name, each with its meaning.
        seat_actions: for every block of actions that name player_0, player_1 and so on, the number of the first.
        text: ``(record, point of view) -> str``: the table as a seat (or None: as everybody) sees it; by default the
            observation by its fields.
        paragraphs: ``(record, point of view) -> paragraphs``: what ``text`` says, without columns and boxes, for a
            terminal that is too narrow for it; None if there are none.
        drawing: ``(record, point of view) -> str``: the same as SVG; by default the lines of the text.
        sees: ``(event, point of view) -> sentences``: what a seat (or None: a spectator) sees of an
            :class:`~rat_envs.engine.story.Event`.
        offer: ``(record, seat, legal actions) -> Offer``: what a person at that seat is asked and may do, in words and
            as places in the drawing; by default the notation.
        open_facts: ``(event) -> anything``: what everybody sees of an event by the rules although no observation keeps
            it, for the leak test of stories.
        asks_openly: ``(record, point of view) -> bool``: whether a seat other than the actor (or None: a spectator) can
            tell that the game stands where it does; it cannot if it is a secret that somebody is asked.
        hidden_facts: ``(record) -> words by name``: the facts of a table that may be hidden from somebody, for people
            who look at samples of it; by default the fields of ``state`` that differ in them.
        shows_everything: whether ``text`` and ``drawing`` take ``EVERYTHING`` for a point of view, too.
        has_draws: whether a game that nobody has won is called a draw; else all have lost it.
        remembers: ``(event, seat or None) -> list``: what a drawing may keep showing that seat (None: everybody) of a
            past event. If it is given, ``drawing`` takes a third argument: all of these so far, in order.
        presets: positions with a name, among them ``small``, small enough to be solved.
        heuristics: rules of thumb by name, which are also the names of agents: ``(observation, mask) -> action`` over
            the named fields of an observation, in the part of Python that Numba compiles.
        training: by name of a learner (``maskable_ppo``, ``lookahead``), the settings that differ from its defaults.
        ladder: its settings for the ladder; None if it is not on it.

    Raises:
        TypeError: something in the declaration is wrong; the sentence names it.
    """

    name: str
    title: str
    configuration: type[Configuration]
    state: np.dtype
    observation: np.dtype
    actions: tuple[str, ...]
    outcomes: tuple[str, ...]
    seats: int
    rules: Rules
    version: int = 0
    compile_seconds: int | None = None
    summary: str = ""
    how_to_play: str = ""
    fixed_from: str | None = None
    knowledge: tuple[str, ...] = ()
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    observation_notes: Mapping[str, str] = field(default_factory=dict)
    nodes: tuple[Node, ...] = ()
    metrics: Mapping[str, str] = field(default_factory=dict)
    seat_actions: tuple[int, ...] = ()
    text: Callable[[Any, Any], str] = plain_text  # type: ignore[assignment]
    paragraphs: Callable[[Any, Any], list[str]] | None = None
    drawing: Callable[..., str] = plain_drawing
    sees: Callable[[Event, int | None], list[str]] = nothing_seen
    offer: Callable[[Any, int, Sequence[int]], Offer] = plain_words  # type: ignore[assignment]
    open_facts: Callable[[Event], Any] = nothing_forgotten
    asks_openly: Callable[[Any, int | None], bool] = always_open
    hidden_facts: Callable[[Any], dict[str, str]] | None = None
    shows_everything: bool = False
    has_draws: bool = False
    remembers: Callable[[Event, int | None], list[Any]] | None = None
    presets: tuple[Preset, ...] = ()
    heuristics: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    training: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ladder: Ladder | None = None

    def __post_init__(self) -> None:
        for wrong in complaints(self):
            raise TypeError(f"The game {self.name!r} {wrong}.")
        for name in ("state", "observation"):
            object.__setattr__(self, name, with_attributes(getattr(self, name)))
        for name in ("text", "drawing", "offer"):
            if is_plain(self, name):
                object.__setattr__(self, name, partial(getattr(Game, name), self))

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self  # declared once, and never changed

    def __reduce__(self) -> Any:
        from rat_envs.engine.registry import reference_to

        return reference_to(self)

    @property
    def bytes_before_fixed(self) -> int:
        """The number of bytes of an observation that can change during a game; they come first."""
        fields: Any = self.observation.fields
        return self.observation.itemsize if self.fixed_from is None else fields[self.fixed_from][1]

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

    @property
    def rules_in_brief(self) -> str:
        """How to play, as Markdown without pictures, captions and links."""
        text = re.sub(r"^(!\[.*|\*.*\*)\n+", "", self.how_to_play, flags=re.MULTILINE)
        return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)

    def picture(self, row: Any, point_of_view: PointOfView, remembered: Sequence[Any]) -> str:
        """The drawing, with what it keeps showing of past events, as ``remembers`` gives it."""
        return self.drawing(row, point_of_view, *([] if self.remembers is None else [remembered]))

    def demand_everything(self) -> Literal["all"]:
        """``EVERYTHING``, if the game can be shown from that point of view.

        Raises:
            ConfigurationError: its declaration does not say ``shows_everything``.
        """
        if not self.shows_everything:
            raise ConfigurationError(f"{self.title} has no view in which nothing is hidden: look at it seat by seat.")
        return EVERYTHING

    def preset(self, name: str | Preset) -> Preset:
        """The preset of that name; a :class:`Preset` is returned as it is.

        Raises:
            UnknownNameError: the game has no such preset.
        """
        if isinstance(name, Preset):
            return name
        for preset in self.presets:
            if preset.name == name:
                return preset
        names = ", ".join(preset.name for preset in self.presets)
        known = f"its presets are {names}" if names else "it has none"
        raise UnknownNameError(f"{self.name} has no preset {shown(name)}: {known}.")

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
