"""Games of random play for pictures: the same on every machine, without compiled code, which takes longer to make."""

from __future__ import annotations

import functools
from typing import Any

from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.records import Recorder
from rat_envs.engine.story import events

#: The configuration that is drawn of each game.
GAMES: dict[str, dict[str, Any]] = {
    "brave_rats": {"draw_pile": True},
    "comme_des_rats": {"players": 4, "roles": True},
    "rattus": {"players": 4},
    "rattus_cartus": {"players": 4},
}
SEED = 3
#: Of a game that is drawn: shares of its steps, and from whose point of view.
MOMENTS: tuple[tuple[float, Any], ...] = ((0.45, 0), (0.8, "all"), (1.0, None))


@functools.cache
def record_of(game: str) -> dict[str, Any]:
    """The record of a game."""
    recorder = Recorder(Position(game, GAMES[game], compiled=False))
    stream = new_stream(recorder.position.game, SEED, compiled=False)
    while not recorder.position.is_over:
        recorder.apply(recorder.position.sample(stream))
    return recorder.record()


@functools.cache
def drawn(game: str) -> tuple[str, ...]:
    """Drawings of some moments of a game, with what was there to see before."""
    happened = events(record_of(game))
    drawings = []
    for share, point_of_view in MOMENTS:
        before = happened[: round(share * len(happened))]
        seat = point_of_view if isinstance(point_of_view, int) else None
        remembered = [one for event in before for one in event.remembered_by(seat)]
        drawings.append(before[-1].game.picture(before[-1].after, point_of_view, remembered))
    return tuple(drawings)


@functools.cache
def moments(game: str) -> tuple[Any, ...]:
    """Rows of a game, from its beginning to just before its end."""
    happened = events(record_of(game))
    return tuple(happened[round(share * (len(happened) - 1))].before for share in (0.2, 0.4, 0.6, 0.8, 0.95))
