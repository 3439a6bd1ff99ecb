"""The frames of each view of a recorded game, without anything that a seat cannot know.

A view is a seat's own (``player_0``), everybody's (``public``) or everything (``all``): the table with nothing hidden,
or the drawings of all seats beside each other in a game that cannot show that. A view has a new frame wherever it is
told something, and a seat's wherever it decides. Half of an act of which nothing is said yet, as where cubes are taken
up before it is known where they go, is shown with the other half. There is no frame where a seat cannot tell whether
somebody was asked, because the number of frames would reveal it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.engine.game import CHANCE, EVERYTHING, TERMINAL, PointOfView
from rat_envs.engine.position import Position
from rat_envs.engine.story import Event, events

__all__ = ["PUBLIC", "Frame", "Played", "checked_views", "name_of", "view_names"]

PUBLIC = "public"


@dataclass(frozen=True)
class Frame:
    """The contents of a view at one moment.

    Attributes:
        node: the number of the node in the record; a page for one seat must not hold it.
        drawings: one SVG, or one for every seat.
        sentences: the sentences that the view was told since its last frame.
        notation: the steps since the last frame, as in records; empty in every view but ``all``.
    """

    node: int
    drawings: tuple[str, ...]
    sentences: tuple[str, ...]
    notation: str = ""


def view_names(players: int) -> list[str]:
    """The names of all views of a game: each seat's, ``public`` and ``all``."""
    return [*(name_of(seat) for seat in range(players)), PUBLIC, EVERYTHING]


def name_of(actor: int) -> str:
    """The name of the actor, in a word."""
    return "chance" if actor == CHANCE else f"player_{actor}"


def checked_views(views: Sequence[str] | None, players: int) -> list[str]:
    """The requested views, without repetitions and in order; all of them if none is named.

    Raises:
        ConfigurationError: there is no such view.
    """
    names = view_names(players)
    for view in views or ():
        if view not in names:
            raise ConfigurationError(f"There is no view {shown(view)}: the views are {', '.join(names)}.")
    return [name for name in names if not views or name in views]


class Played:
    """A recorded game, and its views.

    Args:
        record: a record from :meth:`~rat_envs.engine.records.Recorder.record`.

    Raises:
        RecordError: the record is damaged, of another version, or breaks a rule.
    """

    def __init__(self, record: dict[str, Any]) -> None:
        self.events: list[Event] = events(record)
        start = Position(record["game"], record["config"])
        self.game, self.configuration = start.game, start.configuration
        self.rows = [start.state, *(event.after for event in self.events)]
        self.actors = [*(event.actor for event in self.events), TERMINAL]
        self._drawn: dict[tuple[int, PointOfView, int | None], str] = {}

    @property
    def players(self) -> int:
        """The number of seats."""
        return self.configuration.players

    def frames(self, view: str) -> list[Frame]:
        """The frames of a view, from the first node to the end of the game."""
        if view == EVERYTHING:
            return self._everything()
        return self._seen_by(None if view == PUBLIC else int(view.removeprefix("player_")))

    def drawing(self, node: int, point_of_view: PointOfView, remembered: Sequence[Any] | None = None) -> str:
        """The table at a node, with what is ``remembered`` of earlier events, if given."""
        key = (node, point_of_view, None if remembered is None else len(remembered))
        if key not in self._drawn:
            row, game = self.rows[node], self.game
            if remembered is None:
                self._drawn[key] = game.drawing(row, point_of_view)
            else:
                self._drawn[key] = game.picture(row, point_of_view, remembered)
        return self._drawn[key]

    def _seen_by(self, seat: int | None) -> list[Frame]:
        frames: list[Frame] = []
        told: list[str] = []
        remembered: list[Any] = []
        for node, row in enumerate(self.rows):
            told += self.events[node - 1].seen_by(seat) if node else []
            remembered += self.events[node - 1].remembered_by(seat) if node else []
            if not self.game.asks_openly(row, seat):
                continue
            is_own = seat is not None and self.actors[node] == seat
            if not frames or told or is_own or self.actors[node] == TERMINAL:
                drawing = self.drawing(node, seat, remembered)
                frames.append(Frame(node, (drawing,), tuple(told)))
                told = []
        return frames

    def _everything(self) -> list[Frame]:
        frames = []
        eyes: Sequence[PointOfView] = [EVERYTHING] if self.game.shows_everything else range(self.players)
        remembered: list[Any] = []
        for node in range(len(self.rows)):
            event = self.events[node - 1] if node else None
            remembered += event.remembered_by(None) if event else []
            drawings = tuple(self.drawing(node, one, remembered) for one in eyes)
            if event is None:
                frames.append(Frame(node, drawings, ()))
            else:
                frames.append(Frame(node, drawings, _told(event), f"{name_of(event.actor)}: {event.notation}"))
        return frames


def _told(event: Event) -> tuple[str, ...]:
    """The sentences that everybody is told of an event, or otherwise those for the seat that acts."""
    told = tuple(event.seen_by(None))
    if told or event.actor < 0:
        return told
    return tuple(f"{name_of(event.actor)} alone is told: {sentence}" for sentence in event.seen_by(event.actor))
