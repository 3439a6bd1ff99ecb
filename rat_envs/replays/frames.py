"""What each view of a recorded game shows, step by step, and nothing by which a seat learns what it cannot know.

A view is a seat's own (``player_0``), everybody's (``public``) or everything (``all``), which is the drawings of all
seats beside each other. A view's frames stand where what it shows or is told has changed. Where a seat cannot tell
whether anything was asked, no frame stands: the number of frames would give it away.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.engine.game import CHANCE, TERMINAL, Game
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.program import program
from rat_envs.engine.story import Event, events

__all__ = ["EVERYTHING", "PUBLIC", "Frame", "Played", "checked_views", "name_of", "possible_tables", "view_names"]

PUBLIC, EVERYTHING = "public", "all"
#: At so many tables that look alike to a seat the same must come next, so that the seat is said to know what does.
SAMPLES = 24
#: Of every sample: what is sampled depends on nothing but what the seat sees.
SEED = 1


@dataclass(frozen=True)
class Frame:
    """What a view shows at one moment.

    Attributes:
        node: the number of the node in the record; a page for one seat must not hold it.
        drawings: one SVG, or one of every seat.
        sentences: what the view was told since its last frame.
        notation: who did what to come here, as in records; empty in every view but ``all``.
    """

    node: int
    drawings: tuple[str, ...]
    sentences: tuple[str, ...]
    notation: str = ""


def view_names(players: int) -> list[str]:
    """The names of all views of a game: each seat's, ``public`` and ``all``."""
    return [*(name_of(seat) for seat in range(players)), PUBLIC, EVERYTHING]


def name_of(actor: int) -> str:
    """Who acts, in a word."""
    return "chance" if actor == CHANCE else f"player_{actor}"


def checked_views(views: Sequence[str] | None, players: int) -> list[str]:
    """The views that are asked for, each once and in order; all of them if none is named.

    Raises:
        ConfigurationError: there is no such view.
    """
    names = view_names(players)
    for view in views or ():
        if view not in names:
            raise ConfigurationError(f"There is no view {shown(view)}: the views are {', '.join(names)}.")
    return [name for name in names if not views or name in views]


def possible_tables(game: Game, row: Any, seat: int, number: int = SAMPLES) -> np.ndarray:
    """(number) records of ``STATE``: tables that fit what a seat knows, a function of that alone.

    Args:
        game: whose table it is.
        row: record of its ``STATE``.
        seat: who looks at it.
        number: how many to draw.
    """
    rows = np.repeat(np.asarray(row).reshape(1), number)
    program(game).determinize_rows(rows, np.full(number, seat), new_stream(game, SEED))
    return rows


class Played:
    """A game that was played, and what can be seen of it.

    Args:
        record: as :meth:`~rat_envs.engine.records.Recorder.record` makes it.

    Raises:
        RecordError: the record is damaged, of another version, or breaks a rule.
    """

    def __init__(self, record: dict[str, Any]) -> None:
        self.events: list[Event] = events(record)
        start = Position(record["game"], record["config"])
        self.game, self.configuration = start.game, start.configuration
        self.rows = [start.state, *(event.after for event in self.events)]
        self.actors = [*(event.actor for event in self.events), TERMINAL]
        self._drawn: dict[tuple[int, int | None], str] = {}

    @property
    def players(self) -> int:
        """How many seats the game has."""
        return self.configuration.players

    def frames(self, view: str) -> list[Frame]:
        """What a view shows, from the first node to the end of the game."""
        if view == EVERYTHING:
            return self._everything()
        if view == PUBLIC:
            known = np.logical_and.reduce([self._known[seat] for seat in range(self.players)])
            return self._seen_by(None, known)
        seat = int(view.removeprefix("player_"))
        return self._seen_by(seat, self._known[seat])

    def drawing(self, node: int, seat: int | None) -> str:
        """The table at a node as a seat, or for None everybody, sees it."""
        if (node, seat) not in self._drawn:
            self._drawn[node, seat] = self.game.drawing(self.rows[node], seat)
        return self._drawn[node, seat]

    @cached_property
    def _known(self) -> np.ndarray:
        """(P, nodes) bool: whether a seat can tell that the game has come to a node."""
        return np.array(
            [[_is_known(self.game, row, seat) for row in self.rows] for seat in range(self.players)], dtype=bool
        )

    def _seen_by(self, seat: int | None, known: Iterable[bool]) -> list[Frame]:
        frames: list[Frame] = []
        told: list[str] = []
        for node, can_tell in enumerate(known):
            told += self.events[node - 1].seen_by(seat) if node else []
            if not can_tell:
                continue
            drawing = self.drawing(node, seat)
            has_changed = not frames or told or frames[-1].drawings != (drawing,)
            if has_changed or (seat is not None and self.actors[node] == seat):
                frames.append(Frame(node, (drawing,), tuple(told)))
                told = []
        return frames

    def _everything(self) -> list[Frame]:
        frames = []
        for node in range(len(self.rows)):
            drawings = tuple(self.drawing(node, seat) for seat in range(self.players))
            event = self.events[node - 1] if node else None
            if event is None:
                frames.append(Frame(node, drawings, ()))
            else:
                frames.append(Frame(node, drawings, _told(event), f"{name_of(event.actor)}: {event.notation}"))
        return frames


def _told(event: Event) -> tuple[str, ...]:
    """What everybody is told of an event, or else the one who acts."""
    return tuple(event.seen_by(None) or (event.seen_by(event.actor) if event.actor >= 0 else ()))


def _is_known(game: Game, row: Any, seat: int) -> bool:
    """Whether a seat can tell what comes next: whether the same does at all tables that look alike to it."""
    tables = [row, *possible_tables(game, row, seat)]
    actor = program(game).actor
    has_phase = "phase" in (game.state.names or ())
    return len({(int(actor(table)), int(table["phase"]) if has_phase else 0) for table in tables}) == 1
