"""One HTML file that shows games in any browser: it needs nothing else, and cannot reach any network.

Drawings of successive frames differ little, so each is stored as a list of numbers of pieces, and each piece once.
"""

from __future__ import annotations

import base64
import html
import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np

from rat_envs.api.outcomes import points_in_words, result_in_words
from rat_envs.engine.colours import hash_in_policy
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import RecordError
from rat_envs.engine.game import EVERYTHING
from rat_envs.engine.program import program
from rat_envs.engine.results import results_of
from rat_envs.replays.beliefs import SAMPLES, beliefs
from rat_envs.replays.explain import Explainer
from rat_envs.replays.frames import PUBLIC, Frame, Played, checked_views, name_of

__all__ = ["MOST_GAMES", "Wish", "make_page", "page_data"]

#: The most games in one page.
MOST_GAMES = 50
#: The most characters of an option's value in the page's head: tables have more.
LONGEST_OPTION = 40
#: Drawings are cut into pieces before this character: before every element and after its text.
CUT = "<"


@dataclass(frozen=True)
class Wish:
    """The contents of a page for each game.

    Attributes:
        views: the views by name; all of them if none is named.
        explain: the agent whose probabilities and values are shown at decisions, as on a command line.
        beliefs: whether samples of what is hidden are shown in the views of seats.
        trust: whether a saved policy may be loaded even if it can execute code.
    """

    views: Sequence[str] | None = None
    explain: str | None = None
    beliefs: bool = False
    trust: bool = False


def make_page(records: Sequence[dict[str, Any]], wish: Wish | None = None) -> str:
    """The page as HTML.

    Args:
        records: records from :meth:`~rat_envs.engine.records.Recorder.record`.
        wish: what to show.

    Raises:
        RecordError: a record is damaged, of another version, or breaks a rule; or there are too many records, or none.
        ConfigurationError: a game has no such view.
        ConfigurationError, CheckpointError, UnknownNameError: the agent does not exist, or cannot play this.
    """
    data = page_data(records, wish)
    text = json.dumps(data, separators=(",", ":")).encode()
    style, script = _part("page.css"), _part("page.js")
    drawn = [piece.removeprefix("<style>") for piece in data["pieces"] if piece.startswith("<style>")]
    styles = " ".join(map(hash_in_policy, [style, *drawn]))
    policy = (
        f"default-src 'none'; style-src {styles}; script-src {hash_in_policy(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {
        "policy": policy,
        "title": html.escape(f"Replay: {data['games'][0]['title']}"),
        "style": style,
        "script": script,
        "data": base64.b64encode(zlib.compress(text, 9)).decode(),  # base64 cannot end the element around it
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _part("page.html"))


def page_data(records: Sequence[dict[str, Any]], wish: Wish | None = None) -> dict[str, Any]:
    """The contents of a page as plain JSON, which ``page.js`` reads.

    Args and errors are those of :func:`make_page`.
    """
    wish = wish or Wish()
    if not 0 < len(records) <= MOST_GAMES:
        raise RecordError(f"{len(records):,} games: a page shows from 1 to {MOST_GAMES}.")
    drawings = _Drawings()
    games = [_game(record, wish, drawings, number) for number, record in enumerate(records, 1)]
    return {
        "games": games,
        "agent": wish.explain,
        "samples": SAMPLES,
        "pieces": drawings.pieces,
        "drawings": drawings.cut,
    }


class _Pieces(dict[str, int]):
    """Numbers of pieces, without their first character; a new piece gets the next number."""

    def __missing__(self, piece: str) -> int:
        self[piece] = number = len(self)
        return number


class _Drawings:
    """Drawings as lists of pieces, each piece and each drawing once."""

    def __init__(self) -> None:
        self.cut: list[list[int]] = []
        self._pieces = _Pieces()
        self._numbers: dict[str, int] = {}

    @property
    def pieces(self) -> list[str]:
        """Every piece by its number."""
        return [CUT + piece for piece in self._pieces]

    def number(self, drawing: str) -> int:
        """The number of a drawing, which is stored if it is new; it begins with an element."""
        if drawing not in self._numbers:
            self._numbers[drawing] = len(self.cut)
            self.cut.append(list(map(self._pieces.__getitem__, drawing.split(CUT)[1:])))
        return self._numbers[drawing]


def _game(record: dict[str, Any], wish: Wish, drawings: _Drawings, number: int) -> dict[str, Any]:
    """One game of a page."""
    played = Played(record)
    names = checked_views(wish.views, played.players)
    frames = {name: played.frames(name) for name in names}
    nodes = sorted({frame.node for each in frames.values() for frame in each})
    moments = {node: moment for moment, node in enumerate(nodes)} if len(names) > 1 else {}
    notes = _Notes(played, wish)
    return {
        "name": f"{number}: {played.game.title}",
        "title": played.game.title,
        "options": "; ".join([_options_in_words(played.configuration), *_agents_in_words(record)]),
        "result": _result_in_words(played),
        "views": [
            {"name": name, "frames": [_frame(frame, name, moments, drawings, notes) for frame in frames[name]]}
            for name in names
        ],
    }


def _frame(frame: Frame, view: str, moments: dict[int, int], drawings: _Drawings, notes: _Notes) -> dict[str, Any]:
    """One frame. It does not contain its node's number in the record, but its place among the nodes that the page
    shows."""
    kept: dict[str, Any] = {
        "drawings": [drawings.number(drawing) for drawing in frame.drawings],
        "sentences": frame.sentences,
    }
    if moments:
        kept["moment"] = moments[frame.node]
    if frame.notation:
        kept["notation"] = frame.notation
    return {**kept, **notes.of(frame.node, view)}


class _Notes:
    """The notes beside a table: who decides, an agent's opinion, and what may be hidden."""

    def __init__(self, played: Played, wish: Wish) -> None:
        self.played, self.beliefs = played, wish.beliefs
        self.explainer = wish.explain and Explainer(played.game, played.configuration, wish.explain, wish.trust)
        self._choices: dict[int, dict[str, Any]] = {}

    def of(self, node: int, view: str) -> dict[str, Any]:
        """The notes of a node in a view, by name; in a seat's view only that seat's own."""
        notes: dict[str, Any] = {}
        actor = self.played.actors[node]
        if actor >= 0 and view in (EVERYTHING, name_of(actor)):
            notes["decides"] = name_of(actor)
            if self.explainer:
                notes["choice"] = self._choice(node)
        if self.beliefs and view not in (PUBLIC, EVERYTHING):
            notes["beliefs"] = beliefs(self.played.game, self.played.rows[node], int(view.removeprefix("player_")))
        return notes

    def _choice(self, node: int) -> dict[str, Any]:
        assert isinstance(self.explainer, Explainer)
        if node not in self._choices:
            events = self.played.events
            self._choices[node] = self.explainer.choice(self.played.rows[node], events[node].action, events[:node])
        return self._choices[node]


def _options_in_words(configuration: Configuration) -> str:
    """The number of players, and the options that differ from their defaults, tables only by name."""
    values, players = configuration.to_dict(), {"players": configuration.players}
    usual = type(configuration).make(players if "players" in values else None).to_dict()
    words = (_option_in_words(name, value) for name, value in values.items() if value != usual[name])
    return ", ".join([f"{configuration.players} players", *words])


def _option_in_words(name: str, value: Any) -> str:
    """An option in a few words, whatever its value is."""
    words, shown = name.replace("_", " "), value if isinstance(value, str) else json.dumps(value)
    if value is True:
        return words
    return f"{words} {shown}" if len(shown) <= LONGEST_OPTION else f"{words} of its own"


def _agents_in_words(record: dict[str, Any]) -> list[str]:
    """Who played, if the record says so: one text, or none."""
    agents = enumerate(record.get("agents", ()))
    return [words] if (words := ", ".join(f"{name_of(seat)}: {name}" for seat, name in agents)) else []


def _result_in_words(played: Played) -> list[str]:
    """The lines that say how a game ended."""
    points, won = results_of(program(played.game), np.asarray(played.rows[-1]).reshape(1))
    winners = np.flatnonzero(won[0]).tolist()
    return [result_in_words(winners), points_in_words(points[0, : played.players].tolist())]


def _part(name: str) -> str:
    """The contents of a file beside this one."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
